/** An empty installation that an import comes into, and a source that has something of everything. */

import { expect } from "bun:test";
import { openAddressPolicy } from "#base/address-policy.ts";
import { openSecrets, type Secrets } from "#base/secrets.ts";
import type { DatabaseAddress } from "#db/connection.ts";
import type { Db } from "#db/database.ts";
import { openTestDatabase, type testDialects } from "#db/testing/database.ts";
import { findPrices, installPrices } from "#modules/pricing/pricing.ts";
import { runAudit } from "#modules/proof/audit-command.ts";
import { readImportArguments } from "#commands/import/import-arguments.ts";
import { runImport } from "#commands/import/import-command.ts";
import { type Age, ages, makeSource, type Source } from "./sources.ts";

export const secrets: Secrets = openSecrets("0123456789abcdef".repeat(4));
const policy = openAddressPolicy({ privateRanges: [], loopback: false });

type Target = {
  readonly db: Db;
  readonly address: DatabaseAddress;
  /** What happens at the source between two runs that follow it; after the last the command ends. */
  readonly passes: (() => Promise<void>)[];
  /** Runs `tollgate import` with these words. @returns the exit code. */
  run(...words: string[]): Promise<number>;
  /** The last report, as JSON. */
  report(): {
    readonly from: string;
    readonly rows: Record<string, Record<string, number>>;
    readonly sums: Record<string, number>;
    readonly check: { readonly here: number; readonly there: number } | null;
    readonly changes: readonly { readonly what: string }[];
    readonly faults: readonly { readonly what: string }[];
    readonly unplaced: readonly { readonly table: string; readonly column: string }[];
  };
  /** What the command has told last. */
  told(): string;
  audit(): Promise<string>;
  close(): Promise<void>;
};

export async function openTarget(dialect: (typeof testDialects)[number]): Promise<Target> {
  const { db, address, close } = await openTestDatabase(dialect);
  await db.transaction().execute(async (tx) => await installPrices(tx, Date.now()));
  const passes: (() => Promise<void>)[] = [];
  let printed: string[] = [];
  let told: string[] = [];
  return {
    db,
    address,
    close,
    passes,
    async run(...words) {
      printed = [];
      told = [];
      const asked = readImportArguments(words);
      if (asked === undefined) return 2;
      return await runImport(address, asked, {
        secrets,
        policy,
        wrongKey: async () => null,
        pause: async () => {
          const pass = passes.shift();
          await pass?.();
          return pass !== undefined;
        },
        readSecret: (name) => (name === "UPSTREAM_KEY" ? "sk-upstream" : undefined),
        print: (line) => void printed.push(line),
        tell: (line) => void told.push(line),
        now: Date.now,
      });
    },
    report: () => JSON.parse(printed.at(-1) ?? ""),
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

export const hash = "$2a$10$9bQx1lY5E6jFhOxGyPyaKeZv8m6kqkXbY1Yc4mO3YxwZr9m3b0p3u";

/** Fills a source with users, keys, channels, codes and options. */
export function fill(source: Source, age: Age, users: number): void {
  // SQLite has times as the program has written them.
  const isFile = !source.address.includes("://");
  const deletedAt = isFile ? "2025-02-03 04:05:06.123456789+08:00" : "2025-02-02 20:05:06";
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
      deleted_at: id === 7 ? deletedAt : null,
    });
    source.insert("tokens", tokenOf(id));
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
  source.insert("options", {
    key: "ModelRatio",
    value: '{"gpt-4o":1.25,"own-model":0.0000015,"third":0.3333333333333333}',
  });
  source.insert("options", { key: "GroupRatio", value: '{"default":1,"gold":0.5}' });
  if (age.kind === "one-hub") fillOneHub(source);
  const hasOrders = age.tables["top_ups"] !== undefined;
  if (hasOrders) source.insert("top_ups", { id: 1, user_id: 1, amount: 5 });
  source.run("commit");
}

/** A key of a user, in columns of every program. */
function tokenOf(id: number) {
  return {
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
    setting: id === 2 ? limitsOfOneHub : "{}",
    rate_limit_enabled: id === 2 ? 1 : 0,
    limit: 100,
    frequency: 30,
    subnet: id === 2 ? "10.0.0.0/8,192.0.2.1" : "",
    group: "",
  };
}

const limitsOfOneHub = JSON.stringify({
  limits: {
    limit_model_setting: { enabled: true, models: ["gpt-4o", "gpt-4o-mini"] },
    limits_ip_setting: { enabled: true, whitelist: ["10.0.0.0/8", "192.0.2.1"] },
  },
});

/** Fills the tables in which one-hub has prices and groups. */
function fillOneHub(source: Source): void {
  const prices = { "gpt-4o": 1.25, "own-model": 0.0000015, third: 0.3333333333333333 };
  for (const [model, input] of Object.entries(prices)) {
    source.insert("prices", { model, type: "tokens", channel_type: 1, input, output: input * 4 });
  }
  const drawing = { model: "drawing", type: "times", channel_type: 1, input: 20, output: 0 };
  source.insert("prices", drawing);
  source.insert("user_groups", { id: 1, symbol: "gold", name: "Gold", ratio: 0.5 });
}

export async function sumOf(db: Db, column: "balance" | "debt"): Promise<number> {
  const { sum } = await db
    .selectFrom("balances")
    .select((eb) => eb.fn.sum(column).as("sum"))
    .executeTakeFirstOrThrow();
  return Number(sum);
}

/** The number of rows of every table that an import writes, and their sums. */
export async function stateOf(db: Db): Promise<string> {
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

export const usersMax = 30;
export const newest: Age = ages.find(({ name }) => name === "new-api of 2026") ?? {
  kind: "",
  name: "",
  tables: {},
};

/** Moves a filled source in, and gives both to a test. */
export async function withMoved(
  dialect: (typeof testDialects)[number],
  test: (target: Target, source: Source) => Promise<void>,
): Promise<void> {
  const source = makeSource(newest);
  const target = await openTarget(dialect);
  try {
    fill(source, newest, usersMax);
    expect(await target.run(source.address, "--json")).toBe(0);
    await test(target, source);
    expect(await target.audit()).toStartWith("audit: ok");
  } finally {
    await source.remove();
    await target.close();
  }
}

export async function findUser(db: Db, username: string) {
  return await db
    .selectFrom("users")
    .innerJoin("balances", "balances.user_id", "users.id")
    .select(["users.id", "balance", "debt", "status", "email", "inviter_id"])
    .where("username", "=", username)
    .executeTakeFirst();
}

export async function newestPrices(db: Db) {
  const row = await findPrices(db);
  if (row === undefined) throw new Error("there are no prices");
  return row;
}
