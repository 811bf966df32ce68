import { noUsage } from "@tollgate/contract/money/charge.ts";
import { afterEach, describe, expect, test } from "bun:test";
import type { ChargedCallLog } from "#canonical/call-log.ts";
import { testDialects } from "#db/testing/database.ts";
import { blankRow, logHash } from "#modules/logs/logs.ts";
import { closeTestBooks, openTestBooks, setUpMs } from "#modules/ledger/testing/books.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { proveLedger } from "./proof.ts";

afterEach(closeTestBooks);

const daySeconds = 86_400;
const usageOf = (output: number) => ({ ...noUsage, input: 100, output });

/** Proves a ledger with these charged calls, one output token of which costs four quota units. */
async function prove(dialect: "postgres" | "sqlite", logs: readonly Partial<ChargedCallLog>[]) {
  const books = await openTestBooks(dialect);
  await books.addUser("alice", 1_000_000);
  await books.addPrices({ ModelRatio: { "gpt-4o": "1" }, CompletionRatio: { "gpt-4o": "4" } });
  const operations = logs.map((parts, index) => {
    const id = `call-${index}`;
    const log = chargedLog({ requestId: id, tokenId: 0, priceVersion: 2, ...parts });
    const charge = log.usage.input + log.usage.output * 4;
    return { type: "settle", id, tokenLimited: false, charge, charged: null, log } as const;
  });
  await books.apply(operations);
  return await proveLedger(books.db);
}

for (const dialect of testDialects) {
  describe(`the proof of what came on ${dialect}`, () => {
    test("T4: where the gateway counted, no less output is charged than came", async () => {
      for (const usageSource of ["upstream+seen", "local"] as const) {
        const known = { usageSource, seenOutput: 1_500 };
        const right = await prove(dialect, [{ ...known, usage: usageOf(1_500) }]);
        expect([right.flaw, right.warnings]).toEqual([null, []]);
        const { flaw } = await prove(dialect, [{ ...known, usage: usageOf(1_499) }]);
        expect(flaw).toEqual({
          check: "T4",
          table: "logs",
          row: "id=1",
          reason: "output is less than the 1500 that came",
        });
      }
    });

    test("T4: a charge names where its counts come from", async () => {
      // Safe cast: the test writes what no code can.
      const usageSource = "seen" as "upstream";
      const { flaw } = await prove(dialect, [{ usageSource, usage: usageOf(5) }]);
      expect(flaw).toMatchObject({ check: "T4", reason: "its usage source is unknown" });
    });

    test("T13: each day is named on which less than a quarter of the output was charged", async () => {
      const day = setUpMs / 1_000;
      const { flaw, warnings } = await prove(dialect, [
        { createdAt: day, seenOutput: 1_500, usage: usageOf(1) },
        { createdAt: day, seenOutput: 2_000, usage: usageOf(499) },
        { createdAt: day, seenOutput: 2_000, usage: usageOf(500) },
        { createdAt: day + daySeconds, seenOutput: 0, usage: usageOf(1) },
        { createdAt: day + 2 * daySeconds, seenOutput: 40, usage: usageOf(9) },
      ]);
      expect(flaw).toBeNull();
      expect(warnings).toEqual([
        "T13 on 2025-11-21 less than a quarter of the output was charged of calls: 2, " +
          "with 500 tokens of 3500 that came, such as request_id=call-0",
        "T13 on 2025-11-23 less than a quarter of the output was charged of calls: 1, " +
          "with 9 tokens of 40 that came, such as request_id=call-4",
      ]);
    });
  });
}

const row = {
  ...blankRow,
  id: 7,
  request_id: "req-1",
  created_at: 1_800_001_200,
  type: 2,
  user_id: 7,
  username: "alice",
  token_id: 11,
  token_name: "laptop",
  channel: 3,
  model_name: "gpt-4o",
  group: "default",
  quota: 275,
  write_off: 0,
  prompt_tokens: 100,
  completion_tokens: 30,
  use_time: 2,
  is_stream: 1,
  content: "",
  other: "",
  client_ip: "203.0.113.9",
  usage: "{}",
  usage_source: "upstream",
  price_version: 1,
  losses: "",
};

// The hash was computed by the version before rows had the length of what came.
test("P-M12: a row of before has the hash that its settlement stored", () => {
  const before = "e41c0d06e04ee6cc435cfee40035151e69112c5c7453fe2aea3e209dd61b0806";
  expect(logHash({ ...row, seen_output: 0 })).toBe(before);
  expect(logHash({ ...row, seen_output: 1 })).not.toBe(before);
});

test("the hash of a row covers each of its columns, the length of what came as well", () => {
  const now = { ...row, salt: "5a17", seen_output: 30 };
  const known = logHash(now);
  for (const [name, value] of Object.entries(now)) {
    const other = typeof value === "number" ? value + 1 : `${value ?? ""}x`;
    expect([name, logHash({ ...now, [name]: other }) === known]).toEqual([name, false]);
  }
});
