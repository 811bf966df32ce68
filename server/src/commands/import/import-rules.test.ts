/** What an import does with rows that meet others, and with sources that are not as they should be. */

import { expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { parsePrices } from "#modules/pricing/pricing.ts";
import { ages, makeSource } from "./testing/sources.ts";
import { fill, findUser, hash, newest, newestPrices, openTarget } from "./testing/target.ts";

for (const dialect of testDialects) {
  test(`of users who meet others here each rule does what it says, and the dry run shows it: ${dialect}`, async () => {
    for (const rule of ["rename", "merge", "skip"] as const) {
      const source = makeSource(newest);
      const target = await openTarget(dialect);
      const { db } = target;
      try {
        source.insert("users", {
          id: 1,
          username: "anna",
          password: hash,
          role: 1,
          status: 1,
          email: "a@example.com",
          quota: 70,
        });
        expect(await target.run(source.address, "--json", "--name", "first")).toBe(0);
        source.run("update users set quota = 30");
        source.insert("users", {
          id: 2,
          username: "ANNA",
          password: hash,
          role: 1,
          status: 1,
          email: "",
          quota: 1,
        });

        const words = [source.address, "--json", "--name", "second", "--conflicts", rule];
        expect(await target.run(...words, "--dry-run")).toBe(0);
        const planned = target.report();
        expect(await target.run(...words)).toBe(0);
        const done = target.report();
        expect(done.rows).toEqual(planned.rows);
        expect(done.changes.map(({ what }) => what)).toEqual(
          planned.changes.map(({ what }) => what),
        );
        const names = await db.selectFrom("users").select("username").orderBy("id").execute();
        const expected = {
          rename: ["anna", "anna_1", "ANNA_2"],
          merge: ["anna", "ANNA_2"],
          skip: ["anna"],
        };
        expect(names.map(({ username }) => username)).toEqual(expected[rule]);
        expect(await findUser(db, "anna")).toMatchObject({ balance: rule === "merge" ? 100 : 70 });
        expect(await target.audit()).toStartWith("audit: ok");
      } finally {
        await source.remove();
        await target.close();
      }
    }
  });
}

test("a source that is none, or only half of one, is refused in a sentence, and nothing is written", async () => {
  const target = await openTarget("sqlite");
  const half = makeSource({ tables: { users: ["id integer", "username text"] } });
  const none = makeSource({ tables: { notes: ["id integer"] } });
  try {
    const cases: readonly (readonly [string, string])[] = [
      ["/nonexistent/one-api.db", "There is no file /nonexistent/one-api.db."],
      [import.meta.path, `${import.meta.path} is no SQLite database.`],
      ["oracle://127.0.0.1/x", "oracle:// is no database that can be read"],
      [none.address, "does not look like one of litellm, new-api, one-api, one-hub, veloera"],
    ];
    for (const [address, sentence] of cases) {
      expect(await target.run(address)).toBe(1);
      expect(target.told()).toContain(sentence);
    }
    expect(await target.run(half.address, "--from", "new-api")).toBe(1);
    expect(target.told()).toContain("table users has no column password, role, status, quota");
    expect(await target.run(half.address, "--from", "shop")).toBe(1);
    expect(await target.run("mysql://u:secret@127.0.0.1:1/x")).toBe(1);
    expect(target.told()).toContain("mysql://127.0.0.1:1/x cannot be read");
    expect(target.told()).not.toContain("secret");
    expect(await target.db.selectFrom("imports").selectAll().execute()).toEqual([]);
  } finally {
    await half.remove();
    await none.remove();
    await target.close();
  }
});

test("rows that no gateway can have are left out with a sentence; the others come", async () => {
  const target = await openTarget("sqlite");
  const source = makeSource(newest);
  const user = { password: hash, role: 1, status: 1, quota: 10 };
  try {
    source.insert("users", { id: 1, username: "<script>alert(1)</script>", ...user });
    source.insert("users", { id: 2, username: "x".repeat(10_000_000), ...user });
    source.insert("users", { id: 3, username: "rich", ...user, quota: "99999999999999999999" });
    source.insert("users", { id: 4, username: "half\uD800\0\u202E", ...user });
    source.run(
      `insert into users (id, username, password, quota) values (5, cast(x'ff41fe' as text), '${hash}', 10)`,
    );
    source.insert("tokens", { id: 1, user_id: 1, key: "same", status: 1, remain_quota: 1 });
    source.insert("tokens", { id: 2, user_id: 1, key: "sk-same", status: 1, remain_quota: 1 });
    source.insert("tokens", { id: 3, user_id: 77, key: "orphan", status: 1 });
    source.insert("tokens", { id: 4, user_id: 1, key: "white space", status: 1 });
    source.insert("tokens", { id: 5, user_id: 1, key: "open", status: 1, allow_ips: "anywhere" });
    source.insert("options", { key: "ModelRatio", value: '{"m": 1' });

    expect(await target.run(source.address, "--json", "--dry-run")).toBe(0);
    const planned = target.report();
    expect(await target.run(source.address, "--json")).toBe(0);
    const { rows, faults, changes } = target.report();
    expect(rows).toEqual(planned.rows);
    expect(faults.map(({ what }) => what)).toEqual([
      "username is too long",
      "quota is no whole number, or one that is too large",
      "key is the key of another token",
      "user_id is of a user who does not come",
      "key has characters that no key can have",
      "allow_ips has a line that is no address",
    ]);
    expect(changes.map(({ what }) => what)).toContain("ModelRatio of the options cannot be read");
    const names = await target.db.selectFrom("users").select("username").orderBy("id").execute();
    expect(names.map(({ username }) => username)).toEqual([
      "<script>alert(1)</script>",
      "user4",
      "\uFFFDA\uFFFD",
    ]);
    expect(await target.audit()).toStartWith("audit: ok");
  } finally {
    await source.remove();
    await target.close();
  }
});

test("a dollar of other units is converted exactly, or the row is left out", async () => {
  const target = await openTarget("sqlite");
  const source = makeSource(newest);
  const user = { password: hash, role: 1, status: 1 };
  try {
    source.insert("options", { key: "QuotaPerUnit", value: "1000000" });
    source.insert("users", { id: 1, username: "even", quota: 8, ...user });
    source.insert("users", { id: 2, username: "odd", quota: 7, ...user });
    expect(await target.run(source.address, "--json")).toBe(0);
    expect(await findUser(target.db, "even")).toMatchObject({ balance: 4 });
    expect(await findUser(target.db, "odd")).toBeUndefined();
    expect(target.report().faults.map(({ what }) => what)).toEqual([
      "quota is no whole number of quota units here",
    ]);
  } finally {
    await source.remove();
    await target.close();
  }
});

test("what only one program of the family has comes as well: prices by the call, limits of calls in a time", async () => {
  const [oneHub, veloera] = ["one-hub", "veloera"].map((kind) =>
    ages.find((age) => age.kind === kind),
  );
  for (const age of [oneHub, veloera]) {
    if (age === undefined) throw new Error("there is no such age");
    const target = await openTarget("sqlite");
    const source = makeSource(age);
    try {
      fill(source, age, 3);
      expect(await target.run(source.address, "--json")).toBe(0);
      expect(target.report().from).toBe(age.kind);
      const list = parsePrices(await newestPrices(target.db))?.list;
      expect(list?.ModelPrice["drawing"]).toBe(age.kind === "one-hub" ? "0.04" : undefined);
      const token = await target.db
        .selectFrom("tokens")
        .innerJoin("users", "users.id", "tokens.user_id")
        .select(["rate_limit_count", "rate_limit_seconds"])
        .where("username", "=", "user2")
        .executeTakeFirst();
      const limited = { rate_limit_count: 100, rate_limit_seconds: 30 };
      const open = { rate_limit_count: 0, rate_limit_seconds: 60 };
      expect(token).toEqual(age.kind === "veloera" ? limited : open);
    } finally {
      await source.remove();
      await target.close();
    }
  }
});
