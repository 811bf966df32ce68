/** What a person meets who moves in: the same users, keys, balances and prices, once. */

import { expect, test } from "bun:test";
import type { DatabaseAddress } from "#db/connection.ts";
import { openAddressPolicy } from "#base/address-policy.ts";
import { openSecrets, type Secrets } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import { openTestDatabase, testDialects } from "#db/testing/database.ts";
import { runAudit } from "#modules/proof/audit-command.ts";
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

/** Moves a filled source in, and gives both to a test. */
async function withMoved(
  dialect: (typeof testDialects)[number],
  test: (target: Target, source: SourceFile) => Promise<void>,
): Promise<void> {
  const source = makeSource(newest);
  const target = await openTarget(dialect);
  try {
    fill(source, newest, usersMax);
    expect(await target.run(source.file, "--json")).toBe(0);
    await test(target, source);
    expect(await target.audit()).toStartWith("audit: ok");
  } finally {
    source.remove();
    await target.close();
  }
}

const newest: Age = ages.find(({ name }) => name === "new-api of 2026") ?? {
  kind: "",
  name: "",
  tables: {},
};

async function findUser(db: Db, username: string) {
  return await db
    .selectFrom("users")
    .innerJoin("balances", "balances.user_id", "users.id")
    .select(["users.id", "balance", "debt", "status", "email", "inviter_id"])
    .where("username", "=", username)
    .executeTakeFirst();
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

      expect(await target.run(source.file, "--json")).toBe(0);
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
      expect(await target.run(source.file, "--json")).toBe(0);
      expect(await stateOf(db)).toBe(before);
    });
  });

  test(`an undo takes back what nobody has used, and everything can be imported again: ${dialect}`, async () => {
    await withMoved(dialect, async (target, source) => {
      const { db } = target;
      const sum = await sumOf(db, "balance");
      const prices = parsePrices(await newestPrices(db))?.list;
      expect(prices?.ModelRatio["own-model"]).toBe("0.0000015");

      expect(await target.run(source.file, "--undo")).toBe(0);
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

      expect(await target.run(source.file, "--json")).toBe(0);
      expect(await sumOf(db, "balance")).toBe(sum);
      expect(target.report().rows["token"]).toMatchObject({ created: usersMax, left: 0 });
    });
  });

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
        expect(await target.run(source.file, "--json", "--name", "first")).toBe(0);
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

        const words = [source.file, "--json", "--name", "second", "--conflicts", rule];
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
        source.remove();
        await target.close();
      }
    }
  });

  test(`who invited whom is known, whichever of the two comes first: ${dialect}`, async () => {
    await withMoved(dialect, async ({ db }) => {
      const inviter = await findUser(db, "user9");
      expect(await findUser(db, "user3")).toMatchObject({ inviter_id: inviter?.id });
    });
  });
}

async function newestPrices(db: Db) {
  const row = await findPrices(db);
  if (row === undefined) throw new Error("there are no prices");
  return row;
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
      [none.file, "does not look like one of new-api, one-api"],
    ];
    for (const [address, sentence] of cases) {
      expect(await target.run(address)).toBe(1);
      expect(target.told()).toContain(sentence);
    }
    expect(await target.run(half.file, "--from", "new-api")).toBe(1);
    expect(target.told()).toContain("table users has no column password, role, status, quota");
    expect(await target.run(half.file, "--from", "shop")).toBe(1);
    expect(await target.run("mysql://u:secret@127.0.0.1:1/x")).toBe(1);
    expect(target.told()).toContain("mysql://127.0.0.1:1/x cannot be read");
    expect(target.told()).not.toContain("secret");
    expect(await target.db.selectFrom("imports").selectAll().execute()).toEqual([]);
  } finally {
    half.remove();
    none.remove();
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

    expect(await target.run(source.file, "--json", "--dry-run")).toBe(0);
    const planned = target.report();
    expect(await target.run(source.file, "--json")).toBe(0);
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
    source.remove();
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
    expect(await target.run(source.file, "--json")).toBe(0);
    expect(await findUser(target.db, "even")).toMatchObject({ balance: 4 });
    expect(await findUser(target.db, "odd")).toBeUndefined();
    expect(target.report().faults.map(({ what }) => what)).toEqual([
      "quota is no whole number of quota units here",
    ]);
  } finally {
    source.remove();
    await target.close();
  }
});
