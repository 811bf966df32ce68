import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { noUsage } from "@tollgate/contract/money/charge.ts";
import { sql } from "kysely";
import { Secret, TOTP } from "otpauth";
import { testDialects } from "#db/testing/database.ts";
import { verifyAudit } from "#modules/audit/audit.ts";
import { proveLedger } from "#modules/proof/proof.ts";
import { closeTestBooks, openTestBooks, type TestBooks } from "#modules/ledger/testing/books.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { readMendArguments } from "./mend-arguments.ts";
import { runMendCharges } from "./mend-command.ts";
import { markEarlier } from "./testing/earlier-logs.ts";

const since = 1_763_700_000;

test("the command takes a day, and calls that root names", () => {
  expect(readMendArguments(["--since", "2026-11-01", "--refund", "--call", "a"])).toEqual({
    since: Date.parse("2026-11-01T00:00:00Z") / 1_000,
    refunds: true,
    calls: ["a"],
  });
  for (const args of [[], ["--refund"], ["--since", "x"], ["--since", "2026-11-01", "--call"]]) {
    expect(readMendArguments(args)).toBeUndefined();
  }
});

/** A call that the upstream has counted: it wrote 40,000 tokens to its cache. */
const first = chargedLog({
  requestId: "first",
  createdAt: since + 100,
  usage: { ...noUsage, input: 8_000, cacheWrite5m: 40_000, output: 300 },
});

/** Another prompt of the same key, which the provider did not cache. */
const between = chargedLog({
  requestId: "between",
  createdAt: since + 120,
  usage: { ...noUsage, input: 90, output: 10 },
});

/** A stream that its client left: counted here, at the full price. */
const left = chargedLog({
  requestId: "left",
  createdAt: since + 140,
  useTimeSeconds: 10,
  usage: { ...noUsage, input: 50_000, output: 40 },
  usageSource: "local",
  interrupted: "客户端断开",
});

const logs = [
  { log: first, charge: 8_000 + 50_000 + 300 },
  { log: between, charge: 100 },
  { log: left, charge: 50_040 },
  // As much as it: its row does not say that its prompt was never in the cache.
  { log: { ...left, requestId: "unrelated" }, charge: 50_040 },
  // Estimated at 110 tokens, with 40,000 in the cache: too little.
  {
    log: { ...left, requestId: "cheap", usage: { ...noUsage, input: 110, output: 40 } },
    charge: 150,
  },
  // Nothing tells what the cache held: another model, another key, too late, or it has ended.
  { log: { ...left, requestId: "late", createdAt: since + 900 }, charge: 50_040 },
  { log: { ...left, requestId: "other key", tokenId: 2 }, charge: 50_040 },
  { log: { ...left, requestId: "whole", interrupted: "" }, charge: 50_040 },
  {
    log: chargedLog({
      requestId: "cut",
      createdAt: since + 200,
      usage: { ...noUsage, input: 10, output: 1 },
      interrupted: "客户端断开",
      useTimeSeconds: 20,
    }),
    charge: 11,
  },
  {
    log: chargedLog({
      requestId: "picture",
      createdAt: since + 300,
      isStream: false,
      modelName: "painter",
      usage: { ...noUsage, input: 5, callThousandths: 2_000 },
      usageSource: "local",
    }),
    charge: 2_000,
  },
];

/** What the version after the update wrote: it charges such calls rightly. */
const newer = [
  { log: { ...left, requestId: "newer", seenOutput: 40 }, charge: 50_040 },
  { log: { ...left, requestId: "newer unseen" }, charge: 50_040 },
  {
    log: chargedLog({
      requestId: "newer picture",
      createdAt: since + 300,
      isStream: false,
      modelName: "painter",
      usage: { ...noUsage, input: 5, callThousandths: 2_000 },
      usageSource: "local",
    }),
    charge: 2_000,
  },
];

for (const dialect of testDialects) {
  describe(`what was charged wrongly on ${dialect}`, () => {
    let books: TestBooks;
    const said: string[] = [];
    let answer = "right";
    beforeAll(async () => {
      books = await openTestBooks(dialect);
      await books.addUser("root", 1_000_000);
      await books.db.updateTable("users").set({ role: 100, password_hash: "h" }).execute();
      await books.addToken(1, "limited", 900_000);
      await books.addToken(1, "free", 0);
      await books.db
        .updateTable("tokens")
        .set({ unlimited_quota: 1 })
        .where("id", "=", 2)
        .execute();
      const ModelRatio = { "gpt-4o": "1", painter: "0" };
      const price = await books.addPrices({
        ModelRatio,
        CompletionRatio: { "gpt-4o": "1" },
        CacheRatio: { "gpt-4o": "0.1" },
        CreateCacheRatio: { "gpt-4o": "1.25" },
        ModelPrice: { painter: "0.002" },
      });
      const settleAll = async (calls: readonly (typeof logs)[number][]) => {
        for (const { log, charge } of calls) {
          const { requestId: id, tokenId } = log;
          const settle = { type: "settle", id, tokenLimited: tokenId === 1, charge } as const;
          await books.apply([{ ...settle, charged: null, log: { ...log, priceVersion: price } }]);
        }
      };
      await settleAll(logs);
      await markEarlier(books.db);
      await settleAll(newer);
    });
    afterAll(closeTestBooks);

    const ids = newer.map(({ log }) => log.requestId);
    const run = async (refunds: boolean, calls: readonly string[] = []) => {
      said.length = 0;
      return await runMendCharges(
        books.address,
        { since, refunds, calls },
        {
          print: (line) => void said.push(line),
          ask: async () => answer,
          verify: async (password, hash) => password === "right" && hash === "h",
          secrets: { lookup: (_, text) => text, open: (_, text) => text },
          now: () => (since + 1_000) * 1_000,
        },
      );
    };
    const lineOf = (id: string): string => said.find((line) => line.includes(`Z ${id} `)) ?? "";
    const isRight = async () => {
      expect((await proveLedger(books.db)).flaw).toBeNull();
      expect(await verifyAudit(books.db)).toMatchObject({ ok: true });
    };

    test("is listed with what is due, and nothing is given back", async () => {
      await isRight();
      const before = await books.readUser(1);
      expect(await run(false)).toBe(0);
      // 10,000 at the full price, 40,000 read from the cache at a tenth, 40 of output.
      for (const id of ["left", "unrelated"]) {
        const verdict = "charged: 50040, perhaps due: 14040, too much by 36000 at most";
        expect(lineOf(id)).toContain(verdict);
        expect(lineOf(id)).toContain("if its prompt was the one that call first left there");
        expect(lineOf(id)).toContain("1 other calls before it tell otherwise");
      }
      expect(lineOf("cheap")).toContain("charged: 150, perhaps due: 4040, too little by 3890");
      expect(lineOf("cut")).toContain("due: not known");
      expect(lineOf("picture")).toContain("due: not known");
      for (const id of ["first", "late", "other key", "whole"]) expect(lineOf(id)).toBe("");
      expect(said).toContain(
        "2 calls were perhaps charged too much, by 72000 quota units at most.",
      );
      expect(await books.readUser(1)).toEqual(before);
    });

    test("is not a call of the version that charges rightly, even when root names it", async () => {
      await run(false);
      for (const id of ids) expect(lineOf(id)).toBe("");
      const before = await books.readUser(1);
      for (const id of ids) expect(await run(true, [id])).toBe(1);
      expect(await books.readUser(1)).toEqual(before);
    });

    test("is not given back unless root names the call", async () => {
      const before = await books.readUser(1);
      expect(await run(true)).toBe(1);
      expect(said.at(-1)).toBe("Nothing was given back: name each call with --call.");
      expect(await books.readUser(1)).toEqual(before);
    });

    test("is given back once, to root alone, of the calls that root names", async () => {
      const before = await books.readUser(1);
      const token = await books.readToken(1);
      answer = "wrong";
      expect(await run(true, ["left"])).toBe(1);
      for (const id of ["first", "cheap", "cut"]) expect(await run(false, [id])).toBe(1);
      expect(said.join()).toContain("cut: no call that an earlier version has charged too much");
      expect(await books.readUser(1)).toEqual(before);
      answer = "right";
      expect(await run(true, ["picture", "left"])).toBe(0);
      expect(said.at(-1)).toBe("38000 quota units of 2 calls were given back.");
      expect(await books.readUser(1)).toEqual({
        ...before,
        balance: before.balance + 38_000,
        used: before.used - 38_000,
      });
      expect(await books.readToken(1)).toEqual({
        ...token,
        remain: token.remain + 38_000,
        used: token.used - 38_000,
      });
      await isRight();
      const entries = books.db.selectFrom("entries").select(["cause", "amount", "kind"]);
      expect(await entries.where("cause", "like", "mend:%").orderBy("seq").execute()).toEqual([
        { cause: "mend:picture", amount: 2_000, kind: "refund" },
        { cause: "mend:left", amount: 36_000, kind: "refund" },
      ]);
      expect(await run(true, ["left"])).toBe(0);
      expect(said).toContain("left: was given back before");
      expect(said.at(-1)).toBe("0 quota units of 0 calls were given back.");
    });

    test("is not given back with a password, nor by a code that was used, where root has a second factor", async () => {
      const nowMs = (since + 1_000) * 1_000;
      const sealed = "JBSWY3DPEHPK3PXP";
      const factor = { user_id: 1, sealed, confirmed_at: 1, last_step: 0 };
      await books.db.insertInto("totp_secrets").values(factor).execute();
      answer = "right";
      expect(await run(true, ["left"])).toBe(1);
      answer = new TOTP({ secret: Secret.fromBase32(sealed) }).generate({ timestamp: nowMs });
      expect([await run(true, ["left"]), await run(true, ["left"])]).toEqual([0, 1]);
      await books.db
        .insertInto("recovery_codes")
        .values({ user_id: 1, lookup: "1:abcd" })
        .execute();
      answer = "AB-CD";
      expect([await run(true, ["left"]), await run(true, ["left"])]).toEqual([0, 1]);
    });

    test("an altered row of the log that tells of it is found, and a missing one", async () => {
      for (const change of [
        sql`update logs set quota = 1 where type = 4 and quota = 2000`,
        sql`update logs set user_id = 9 where type = 4 and quota = 2000`,
        sql`delete from logs where type = 4 and quota = 36000`,
      ]) {
        const done = books.db.transaction().execute(async (tx) => {
          await change.execute(tx);
          expect((await proveLedger(tx)).flaw).toMatchObject({
            check: "T3",
            reason: "gives a charge back, and the user's log does not tell of it",
          });
          throw new Error("undone");
        });
        await expect(done).rejects.toThrow("undone");
      }
      await isRight();
    });

    test("an altered refund of it is found", async () => {
      for (const [column, value] of [
        ["amount", 2_001],
        ["cause", "mend:cut"],
        ["cause", "refund:picture"],
      ] as const) {
        const change = books.db.transaction().execute(async (tx) => {
          await tx
            .updateTable("entries")
            .set({ [column]: value })
            .where("cause", "=", "mend:picture")
            .execute();
          expect((await proveLedger(tx)).flaw).not.toBeNull();
          throw new Error("undone");
        });
        await expect(change).rejects.toThrow("undone");
      }
    });
  });
}
