/** What a person meets who moves in: the same users, keys, balances and prices, once. */

import { expect, test } from "bun:test";
import type { DatabaseAddress } from "#db/connection.ts";
import { openAddressPolicy } from "#base/address-policy.ts";
import { openSecrets, type Secrets } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import { runAudit } from "#modules/ledger/proof/audit-command.ts";
import { installPrices, findPrices, parsePrices } from "#modules/pricing/pricing.ts";
import { tokenKeyKind } from "#modules/tokens/tokens.ts";
import { readImportArguments } from "./import-arguments.ts";
import { runImport } from "./import-command.ts";
import { type Age, ages, makeSource, type SourceFile } from "./testing/sources.ts";

const secrets: Secrets = openSecrets("0123456789abcdef".repeat(4));
const policy = openAddressPolicy({ privateRanges: [], loopback: false });

type Target = {
  readonly db: Db;
  readonly address: DatabaseAddress;
  /** Runs `tollgate import` with these words. @returns the exit code. */
  run(...words: string[]): Promise<number>;
  /** The last report, as JSON. */
  report(): {
    readonly rows: Record<string, Record<string, number>>;
    readonly sums: Record<string, number>;
    readonly changes: readonly { readonly what: string }[];
    readonly faults: readonly { readonly what: string }[];
    readonly unplaced: readonly { readonly table: string; readonly column: string }[];
  };
  /** What the command has told last. */
  told(): string;
  audit(): Promise<string>;
  close(): Promise<void>;
};

async function openTarget(dialect: (typeof testDialects)[number]): Promise<Target> {
  const { db, address, close } = await openTestDatabase(dialect);
  await db.transaction().execute(async (tx) => await installPrices(tx, Date.now()));
  let printed: string[] = [];
  let told: string[] = [];
  return {
    db,
    address,
    close,
    async run(...words) {
      printed = [];
      told = [];
      const asked = readImportArguments(words);
      if (asked === undefined) return 2;
      return await runImport(address, asked, {
        secrets,
        policy,
        wrongKey: async () => null,
        print: (line) => void printed.push(line),
        tell: (line) => void told.push(line),
        now: Date.now,
      });
    },
    report: () => JSON.parse(printed.join("\n")),
    told: () => told.join("\n"),
    async audit() {
      const lines: string[] = [];
      await runAudit(
        address,
        (line) => void lines.push(line),
        async () => null,
      );
      return lines.join("\n");
    },
  };
}

const hash = "$2a$10$9bQx1lY5E6jFhOxGyPyaKeZv8m6kqkXbY1Yc4mO3YxwZr9m3b0p3u";

/** Fills a source with users, keys, channels, codes and options. */
function fill(source: SourceFile, age: Age, users: number): void {
  source.run("begin");
  for (let id = 1; id <= users; id += 1) {
    source.insert("users", {
      id,
      username: id === 1 ? "root" : `user${id}`,
      password: hash,
      display_name: `User ${id}`,
      role: id === 1 ? 100 : id === 2 ? 10 : 1,
      status: id === 5 ? 2 : 1,
      email: id % 2 === 0 ? `U${id}@example.com` : "",
      github_id: id === 3 ? "4711" : "",
      wechat_id: "",
      quota: id === 4 ? -1_234 : id * 1_000 + 7,
      used_quota: id * 10,
      request_count: id,
      group: id === 6 ? "gold" : "default",
      aff_code: `aff${id}`,
      inviter_id: id === 3 ? 9 : 0,
      aff_quota: id === 9 ? 500 : 0,
      deleted_at: id === 7 ? "2025-02-03 04:05:06.123456789+08:00" : null,
    });
    source.insert("tokens", {
      id: id * 2,
      user_id: id,
      key:
        id === 3
          ? "my-team-key"
          : id === 4
            ? "s3"
            : `${"k".repeat(40)}${String(id).padStart(8, "0")}`,
      status: 1,
      name: id === 3 ? "a name that is longer than the thirty characters" : "default",
      created_time: 1_700_000_000,
      accessed_time: 1_700_000_001,
      expired_time: -1,
      remain_quota: id * 100,
      unlimited_quota: id % 2,
      used_quota: id * 3,
      model_limits_enabled: id === 2 ? 1 : 0,
      model_limits: "gpt-4o,gpt-4o-mini",
      models: id === 2 ? "gpt-4o,gpt-4o-mini" : "",
      allow_ips: id === 2 ? "10.0.0.0/8\n192.0.2.1" : "",
      subnet: id === 2 ? "10.0.0.0/8,192.0.2.1" : "",
      group: "",
    });
  }
  const channel = { status: 1, weight: 1, models: "gpt-4o", group: "default,gold", priority: 5 };
  source.insert("channels", {
    id: 1,
    type: 1,
    key: "sk-one\nsk-two",
    name: "main",
    used_quota: 77,
    ...channel,
  });
  source.insert("channels", { id: 2, type: 9_999, key: "x", name: "strange", ...channel });
  source.insert("redemptions", { id: 1, key: "c".repeat(32), status: 1, name: "gift", quota: 900 });
  source.insert("redemptions", { id: 2, key: "d".repeat(32), status: 3, name: "gone", quota: 900 });
  source.insert("options", { key: "ModelRatio", value: '{"gpt-4o":1.25,"own-model":0.0000015}' });
  source.insert("options", { key: "GroupRatio", value: '{"default":1,"gold":0.5}' });
  const hasOrders = age.tables["top_ups"] !== undefined;
  if (hasOrders) source.insert("top_ups", { id: 1, user_id: 1, amount: 5 });
  source.run("commit");
}

async function sumOf(db: Db, column: "balance" | "debt"): Promise<number> {
  const { sum } = await db
    .selectFrom("balances")
    .select((eb) => eb.fn.sum(column).as("sum"))
    .executeTakeFirstOrThrow();
  return Number(sum);
}

/** The number of rows of every table that an import writes, and their sums. */
async function stateOf(db: Db): Promise<string> {
  const users = await db.selectFrom("users").selectAll().orderBy("id").execute();
  const tokens = await db.selectFrom("tokens").selectAll().orderBy("id").execute();
  const balances = await db.selectFrom("balances").selectAll().orderBy("user_id").execute();
  const counters = await db
    .selectFrom("counters")
    .selectAll()
    .orderBy("id")
    .orderBy("kind")
    .execute();
  const channels = await db.selectFrom("channels").selectAll().orderBy("id").execute();
  const codes = await db.selectFrom("redemptions").selectAll().orderBy("id").execute();
  return JSON.stringify([users, tokens, balances, counters, channels, codes]);
}

const usersMax = 30;

for (const dialect of testDialects) {
  for (const age of ages) {
    test(`${age.name} moves in: users, keys, balances and prices are here once, to the unit, and proven: ${dialect}`, async () => {
      const source = makeSource(age);
      const target = await openTarget(dialect);
      const { db } = target;
      try {
        fill(source, age, usersMax);
        let quota = 0;
        for (let id = 1; id <= usersMax; id += 1) if (id !== 4) quota += id * 1_000 + 7;

        expect(await target.run(source.file, "--dry-run", "--json")).toBe(0);
        const planned = target.report();
        expect(await sumOf(db, "balance")).toBe(0);
        expect(planned.sums).toMatchObject({ balance: quota, debt: 1_234, codes: 900 });

        expect(await target.run(source.file, "--json")).toBe(0);
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
        const roles = await db
          .selectFrom("users")
          .select(["username", "role"])
          .where("role", ">", 1)
          .execute();
        expect(roles.map(({ role }) => role)).toEqual([10, 10]);
        const [row] = [await findPrices(db)];
        const list = row && parsePrices(row)?.list;
        expect(list?.ModelRatio["own-model"]).toBe("0.0000015");
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
        expect(await target.run(source.file, "--json")).toBe(0);
        expect(await stateOf(db)).toBe(before);
        expect(target.report().rows["user"]).toMatchObject({ created: 0, same: usersMax });
        expect(await target.audit()).toStartWith("audit: ok");
      } finally {
        source.remove();
        await target.close();
      }
    });
  }
}
