/** A source is followed while it is in use: no balance can be spent in two places. */

import { expect, test } from "bun:test";
import { testDialects } from "#db/testing/database.ts";
import { makeSource } from "./testing/sources.ts";
import { fill, findUser, hash, newest, openTarget, stateOf, sumOf } from "./testing/target.ts";

const users = 12;

for (const dialect of testDialects) {
  test(`users of a source that is followed cannot call here until they are opened, and the last run is equal to the unit: ${dialect}`, async () => {
    const source = makeSource(newest);
    const target = await openTarget(dialect);
    const { db } = target;
    const moving = async () =>
      (await db.selectFrom("users").select("username").where("moving", "=", 1).execute()).map(
        ({ username }) => username,
      );
    try {
      fill(source, newest, users);
      target.passes.push(
        async () => source.run("update users set quota = quota - 100 where id in (2, 3)"),
        async () => {
          source.run("update users set quota = quota + 7 where id = 2");
          source.insert("users", { id: 50, username: "late", password: hash, role: 1, quota: 5 });
        },
      );
      expect(await target.run(source.address, "--follow", "30", "--json")).toBe(0);
      expect(target.passes).toEqual([]);
      expect(await moving()).toHaveLength(users + 1);
      expect(await findUser(db, "user2")).toMatchObject({ balance: 2_007 - 100 + 7 });

      expect(await target.run(source.address, "--open", "user3")).toBe(0);
      expect(await moving()).not.toContain("user3");
      source.run("update users set quota = quota - 50 where id in (2, 3)");
      source.run("update tokens set remain_quota = 0 where user_id in (2, 3)");
      source.insert("tokens", { id: 900, user_id: 3, key: "afterwards", status: 1 });
      expect(await target.run(source.address, "--json")).toBe(0);
      expect(await findUser(db, "user2")).toMatchObject({ balance: 2_007 - 100 + 7 - 50 });
      expect(await findUser(db, "user3")).toMatchObject({ balance: 3_007 - 100 });
      expect(await moving()).toHaveLength(users);
      const tokens = await db.selectFrom("tokens").select("status").execute();
      expect(tokens).toHaveLength(users);

      expect(await target.run(source.address, "--finish", "--json")).toBe(0);
      const { check } = target.report();
      expect(check).toMatchObject({ users, different: [] });
      expect(check?.here).toBe(check?.there);
      const all = (await sumOf(db, "balance")) - (await sumOf(db, "debt"));
      expect(check?.here).toBe(all - (3_007 - 100));
      expect(await moving()).toEqual([]);
      expect(await target.audit()).toStartWith("audit: ok");

      const before = await stateOf(db);
      source.run("update users set quota = 999999");
      for (const words of [[], ["--follow", "5"], ["--finish"], ["--open", "user2"]]) {
        expect(await target.run(source.address, ...words)).toBe(1);
      }
      expect(await stateOf(db)).toBe(before);
    } finally {
      await source.remove();
      await target.close();
    }
  });

  test(`who is here already gets a followed balance only with the last run: ${dialect}`, async () => {
    const source = makeSource(newest);
    const target = await openTarget(dialect);
    const { db } = target;
    const anna = { id: 1, username: "anna", password: hash, role: 1, status: 1, quota: 70 };
    try {
      source.insert("users", { ...anna, email: "a@example.com" });
      expect(await target.run(source.address, "--name", "first")).toBe(0);
      const words = [source.address, "--name", "second", "--conflicts", "merge", "--json"];
      expect(await target.run(...words, "--finish")).toBe(1);
      expect(await target.run(...words, "--follow", "5")).toBe(0);
      expect(await findUser(db, "anna")).toMatchObject({ balance: 70 });
      source.run("update users set quota = 30");
      expect(await target.run(...words, "--finish")).toBe(0);
      expect(await findUser(db, "anna")).toMatchObject({ balance: 100 });
      expect(await target.run(source.address, "--name", "first", "--finish")).toBe(1);
      expect(target.told()).toContain("can call here already");
      expect(await target.audit()).toStartWith("audit: ok");
    } finally {
      await source.remove();
      await target.close();
    }
  });
}

test("a source that goes away while it is followed is named, and read again when it is back", async () => {
  const source = makeSource(newest);
  const target = await openTarget("sqlite");
  try {
    fill(source, newest, 3);
    target.passes.push(
      async () => {
        source.run("update users set quota = quota + 1");
        source.run("alter table tokens rename to gone");
      },
      async () => source.run("alter table gone rename to tokens"),
    );
    expect(await target.run(source.address, "--follow", "5", "--json")).toBe(0);
    expect(target.told()).toContain("does not look like one of litellm");
    expect(await findUser(target.db, "user2")).toMatchObject({ balance: 2_008 });
  } finally {
    await source.remove();
    await target.close();
  }
});

test("a debt that was brought as zero gives nothing when it becomes smaller there", async () => {
  const source = makeSource(newest);
  const target = await openTarget("sqlite");
  const user = { id: 1, username: "anna", password: hash, role: 1, status: 1 };
  try {
    source.insert("users", { ...user, quota: -100 });
    const words = [source.address, "--negative", "zero"];
    expect(await target.run(...words)).toBe(0);
    source.run("update users set quota = -40");
    expect(await target.run(...words)).toBe(0);
    expect(await findUser(target.db, "anna")).toMatchObject({ balance: 0, debt: 0 });
    source.run("update users set quota = 25");
    expect(await target.run(...words)).toBe(0);
    expect(await findUser(target.db, "anna")).toMatchObject({ balance: 25, debt: 0 });
  } finally {
    await source.remove();
    await target.close();
  }
});
