/** What a person meets who moves in: the same users, keys, balances and prices, once. */

import { expect, test } from "bun:test";
import { importReport } from "@tollgate/contract/endpoints/imports.ts";
import { testDialects } from "#db/testing/database.ts";
import { findPrices, parsePrices } from "#modules/pricing/pricing.ts";
import { tokenKeyKind } from "#modules/tokens/tokens.ts";
import {
  type Age,
  ages,
  makeMariaSource,
  makePostgresSource,
  makeSource,
  type Source,
} from "./testing/sources.ts";
import {
  fill,
  findUser,
  hash,
  newest,
  newestPrices,
  openTarget,
  secrets,
  stateOf,
  sumOf,
  usersMax,
  withMoved,
} from "./testing/target.ts";

/** Every age in a file, and the newest one on each server. */
const sources: readonly {
  readonly age: Age;
  readonly name: string;
  readonly make: () => Promise<Source>;
}[] = [
  ...ages.map((age) => ({ age, name: age.name, make: async () => makeSource(age) })),
  {
    age: newest,
    name: `${newest.name} on PostgreSQL`,
    make: async () => await makePostgresSource(newest),
  },
  {
    age: newest,
    name: `${newest.name} on MariaDB`,
    make: async () => await makeMariaSource(newest),
  },
];

for (const dialect of testDialects) {
  for (const { age, name, make } of sources) {
    test(`${name} moves in: users, keys, balances and prices are here once, to the unit, and proven: ${dialect}`, async () => {
      const source = await make();
      const target = await openTarget(dialect);
      const { db } = target;
      try {
        fill(source, age, usersMax);
        await source.settle();
        let quota = 0;
        for (let id = 1; id <= usersMax; id += 1) if (id !== 4) quota += id * 1_000 + 7;

        expect(await target.run(source.address, "--dry-run", "--json")).toBe(0);
        const planned = target.report();
        // A page shows it.
        expect(importReport.safeParse(planned).error).toBeUndefined();
        expect(await sumOf(db, "balance")).toBe(0);
        expect(planned.sums).toMatchObject({ balance: quota, debt: 1_234, codes: 900 });

        expect(await target.run(source.address, "--json")).toBe(0);
        const done = target.report();
        expect(done.rows).toEqual(planned.rows);
        expect(done.sums).toEqual(planned.sums);
        expect(await sumOf(db, "balance")).toBe(quota);
        expect(await sumOf(db, "debt")).toBe(1_234);
        expect(await target.audit()).toStartWith("audit: ok");

        const found = await db
          .selectFrom("tokens")
          .innerJoin("users", "users.id", "tokens.user_id")
          .select(["users.username", "tokens.hint", "tokens.name"])
          .where("lookup", "=", secrets.lookup(tokenKeyKind, "my-team-key"))
          .executeTakeFirst();
        expect(found).toEqual({
          username: "user3",
          hint: "m••••y",
          name: "a name that is longer than the",
        });
        const limited = await db
          .selectFrom("tokens")
          .innerJoin("users", "users.id", "tokens.user_id")
          .select(["model_limits", "model_limits_enabled", "allow_ips"])
          .where("username", "=", "user2")
          .executeTakeFirst();
        expect(limited).toEqual({
          model_limits: "gpt-4o,gpt-4o-mini",
          model_limits_enabled: 1,
          allow_ips: "10.0.0.0/8\n192.0.2.1",
        });
        const gone = await db
          .selectFrom("users")
          .select(["username", "DeletedAt"])
          .where("DeletedAt", "is not", null)
          .execute();
        const hasTimes = age.tables["users"]?.includes("deleted_at datetime") === true;
        const when = { username: "user7", DeletedAt: "2025-02-02T20:05:06.000Z" };
        expect(gone).toEqual(hasTimes ? [when] : []);
        const roles = await db
          .selectFrom("users")
          .select(["username", "role"])
          .where("role", ">", 1)
          .execute();
        expect(roles.map(({ role }) => role)).toEqual([10, 10]);
        const [row] = [await findPrices(db)];
        const list = row && parsePrices(row)?.list;
        expect(list?.ModelRatio["own-model"]).toBe("0.0000015");
        expect(list?.ModelRatio["third"]).toBe("0.333333333333");
        expect(list?.GroupRatio["gold"]).toBe("0.5");
        const channels = await db
          .selectFrom("channels")
          .select(["name", "status"])
          .orderBy("id")
          .execute();
        expect(channels).toEqual([
          { name: "main", status: 1 },
          { name: "strange", status: 2 },
        ]);

        const before = await stateOf(db);
        expect(await target.run(source.address, "--json")).toBe(0);
        expect(await stateOf(db)).toBe(before);
        expect(target.report().rows["user"]).toMatchObject({ created: 0, same: usersMax });
        expect(await target.audit()).toStartWith("audit: ok");
      } finally {
        await source.remove();
        await target.close();
      }
    });
  }
}

for (const dialect of testDialects) {
  test(`a later run brings what is new or changed, and what was spent there is not spent twice: ${dialect}`, async () => {
    await withMoved(dialect, async (target, source) => {
      const { db } = target;
      source.run(
        "update users set quota = quota - 400, used_quota = used_quota + 400, status = 2 where id = 8",
      );
      source.run("update users set quota = 90000 where id = 9");
      source.run(
        "update tokens set remain_quota = remain_quota - 50, status = 2 where user_id = 8",
      );
      source.insert("users", {
        id: 99,
        username: "late",
        password: hash,
        role: 1,
        status: 1,
        quota: 5,
      });

      expect(await target.run(source.address, "--json")).toBe(0);
      expect(target.report().rows["user"]).toMatchObject({ created: 1, changed: 2, same: 28 });
      expect(await findUser(db, "user8")).toMatchObject({ balance: 7_607, status: 2 });
      expect(await findUser(db, "user9")).toMatchObject({ balance: 90_000 });
      expect(await findUser(db, "late")).toMatchObject({ balance: 5 });
      const token = await db
        .selectFrom("token_balances")
        .innerJoin("tokens", "tokens.id", "token_id")
        .innerJoin("users", "users.id", "user_id")
        .select(["remain", "tokens.status"])
        .where("username", "=", "user8")
        .executeTakeFirst();
      expect(token).toEqual({ remain: 750, status: 2 });
      const before = await stateOf(db);
      expect(await target.run(source.address, "--json")).toBe(0);
      expect(await stateOf(db)).toBe(before);
    });
  });

  test(`an undo takes back what nobody has used, and everything can be imported again: ${dialect}`, async () => {
    await withMoved(dialect, async (target, source) => {
      const { db } = target;
      const sum = await sumOf(db, "balance");
      const prices = parsePrices(await newestPrices(db))?.list;
      expect(prices?.ModelRatio["own-model"]).toBe("0.0000015");

      expect(await target.run(source.address, "--undo")).toBe(0);
      expect(await sumOf(db, "balance")).toBe(0);
      expect(await sumOf(db, "debt")).toBe(0);
      const living = await db
        .selectFrom("users")
        .select("id")
        .where("DeletedAt", "is", null)
        .execute();
      expect(living).toEqual([]);
      expect(await db.selectFrom("channels").select("id").execute()).toEqual([]);
      expect(parsePrices(await newestPrices(db))?.list.ModelRatio["own-model"]).toBeUndefined();
      expect(await target.audit()).toStartWith("audit: ok");

      expect(await target.run(source.address, "--json")).toBe(0);
      expect(await sumOf(db, "balance")).toBe(sum);
      expect(target.report().rows["token"]).toMatchObject({ created: usersMax, left: 0 });
    });
  });

  test(`who invited whom is known, whichever of the two comes first: ${dialect}`, async () => {
    await withMoved(dialect, async ({ db }) => {
      const inviter = await findUser(db, "user9");
      expect(await findUser(db, "user3")).toMatchObject({ inviter_id: inviter?.id });
    });
  });
}
