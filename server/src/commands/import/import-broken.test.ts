/** Sources that break off, or whose values no gateway can have: a sentence, and nothing half done. */

import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { testDialects } from "#db/testing/database.ts";
import { fillLitellm, makeLitellmSource } from "./testing/litellm.ts";
import { makeMariaSource, makePostgresSource, makeSource, type Source } from "./testing/sources.ts";
import { fill, findUser, hash, newest, openTarget, stateOf, sumOf } from "./testing/target.ts";

const users = 1_500;

for (const [server, make] of [
  ["PostgreSQL", makePostgresSource],
  ["MariaDB", makeMariaSource],
] as const) {
  test(`a ${server} database that goes away in the middle is named, and the next run brings the rest once`, async () => {
    const [first, second] = [await make(newest), await make(newest)];
    const target = await openTarget("sqlite");
    const { db } = target;
    const words = ["--json", "--name", "moved"];
    let isGone = false;
    try {
      for (const source of [first, second]) {
        fill(source, newest, users);
        await source.settle();
      }
      const run = target.run(first.address, ...words);
      const came = async () => (await db.selectFrom("users").select("id").execute()).length;
      while ((await came()) < 300) await Bun.sleep(5);
      isGone = true;
      await first.remove();
      expect(await run).toBe(1);
      expect(target.told()).toContain("cannot be read");
      expect(target.told()).not.toContain("password");
      expect(await came()).toBeLessThan(users);
      expect(await target.audit()).toStartWith("audit: ok");

      expect(await target.run(second.address, ...words)).toBe(0);
      const { rows } = target.report();
      expect(await came()).toBe(users);
      expect(Number(rows["user"]?.["created"]) + Number(rows["user"]?.["same"])).toBe(users);
      let quota = 0;
      for (let id = 1; id <= users; id += 1) if (id !== 4) quota += id * 1_000 + 7;
      expect(await sumOf(db, "balance")).toBe(quota);
      const before = await stateOf(db);
      expect(await target.run(second.address, ...words)).toBe(0);
      expect(await stateOf(db)).toBe(before);
      expect(await target.audit()).toStartWith("audit: ok");
    } finally {
      if (!isGone) await first.remove();
      await second.remove();
      await target.close();
    }
  });
}

/** Changes a source so that it cannot be imported as it is, and says what is told. */
const broken: readonly {
  readonly name: string;
  readonly breakIt: (source: Source) => void;
  readonly told: string;
}[] = [
  {
    name: "an amount of dollars that is no whole number of units",
    breakIt: (source) => source.insert("options", { key: "QuotaPerUnit", value: "500000.5" }),
    told: "Amounts cannot be converted: a dollar is 500000.5 quota units there and 500000 here",
  },
  {
    name: "a file that is damaged in the middle",
    breakIt: (source) => writeFileSync(source.address, "SQLite format 3\0".padEnd(4_096, "x")),
    told: "cannot be read",
  },
  {
    name: "a table that is gone",
    breakIt: (source) => source.run("drop table tokens"),
    told: "has no table tokens",
  },
  {
    name: "a column that is gone",
    breakIt: (source) => source.run("alter table users drop column quota"),
    told: "table users has no column quota",
  },
];

for (const dialect of testDialects) {
  for (const { name, breakIt, told } of broken) {
    test(`${name} is told in a sentence, and nothing is written: ${dialect}`, async () => {
      const source = makeSource(newest);
      const target = await openTarget(dialect);
      try {
        fill(source, newest, 3);
        breakIt(source);
        const before = await stateOf(target.db);
        for (const words of [["--dry-run"], []]) {
          expect(await target.run(source.address, "--from", "new-api", ...words)).toBe(1);
          expect(target.told()).toContain(told);
        }
        expect(await stateOf(target.db)).toBe(before);
        expect(await target.db.selectFrom("imports").selectAll().execute()).toEqual([]);
      } finally {
        await source.remove();
        await target.close();
      }
    });
  }
}

test("values that no gateway can have leave out their row alone, in every table", async () => {
  const source = makeSource(newest);
  const target = await openTarget("sqlite");
  const user = { password: hash, role: 1, status: 1, quota: 10 };
  try {
    source.insert("users", { id: 1, username: "anna", ...user });
    source.insert("users", { id: 2, username: "bert", ...user, used_quota: "many" });
    source.insert("users", { id: 3, username: "cara", ...user, aff_quota: "1e300" });
    source.insert("users", { id: 4, username: "dora", ...user, request_count: 2.5 });
    source.insert("users", { id: 5, username: "emil", ...user, deleted_at: "yesterday" });
    source.insert("users", { id: 6, username: "\u202Egnip", ...user, group: "g".repeat(70_000) });
    source.insert("users", { id: -7, username: "gert", ...user });
    source.insert("tokens", { id: 1, user_id: 1, key: "k1", status: 1, expired_time: "9e99" });
    source.insert("tokens", {
      id: 2,
      user_id: 1,
      key: "k2",
      status: 1,
      remain_quota: "1".repeat(40),
    });
    source.insert("tokens", { id: 3, user_id: 1, key: "k3", status: 77, name: "\0\u202E" });
    source.insert("tokens", { id: 4, user_id: 1, key: "x".repeat(5_000), status: 1 });
    source.insert("channels", { id: 1, type: 1, key: "k", name: "<b>".repeat(3_000), models: "m" });
    source.insert("channels", {
      id: 2,
      type: 1,
      key: "k",
      name: "fast",
      models: "m",
      weight: 1e18,
    });
    source.insert("redemptions", { id: 1, key: "c1", status: 1, name: "n", quota: -5 });
    source.insert("redemptions", { id: 2, key: "c2", status: 1, name: "n", quota: "x" });
    source.insert("redemptions", { id: 3, key: "y".repeat(5_000), status: 1, name: "n", quota: 5 });
    source.insert("options", { key: "ModelRatio", value: '{"m":1e999,"n":-1,"o":2}' });
    source.insert("options", { key: "GroupRatio", value: "[1,2]" });

    expect(await target.run(source.address, "--json", "--dry-run")).toBe(0);
    const planned = target.report();
    expect(await target.run(source.address, "--json")).toBe(0);
    const done = target.report();
    expect(done.rows).toEqual(planned.rows);
    expect(done.faults).toEqual(planned.faults);
    const before = await stateOf(target.db);
    expect(await target.run(source.address, "--json")).toBe(0);
    expect(await stateOf(target.db)).toBe(before);
    expect(await findUser(target.db, "anna")).toMatchObject({ balance: 10 });
    expect(await target.audit()).toStartWith("audit: ok");
  } finally {
    await source.remove();
    await target.close();
  }
});

test("amounts of LiteLLM that are none leave out their row alone", async () => {
  const source = await makeLitellmSource();
  const target = await openTarget("sqlite");
  try {
    fillLitellm(source, 5);
    source.run(`update "LiteLLM_UserTable" set max_budget = 'Infinity' where user_id = 'u3'`);
    source.run(`update "LiteLLM_UserTable" set spend = 'NaN' where user_id = 'u4'`);
    source.run(`update "LiteLLM_TeamTable" set max_budget = 1e300, team_alias = '\u202E<script>'`);
    await source.settle();
    expect(await target.run(source.address, "--json")).toBe(0);
    const faults = target.report().faults.map(({ what }) => what);
    expect(faults.filter((what) => what.includes("is no amount"))).toHaveLength(4);
    expect(await target.audit()).toStartWith("audit: ok");
  } finally {
    await source.remove();
    await target.close();
  }
});
