import { expect, test } from "bun:test";
import { chargedTexts } from "#canonical/call-texts.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { callFacts, insertedColumns, rowOf, valuesOf } from "./log-fields.ts";

const log = chargedLog({ upstreamModel: "upstream-name", effort: "high", firstByteMs: 40 });
const texts = chargedTexts(log);

test("a fact of a call without a column is in `other`, under the name that its entry says", () => {
  const other = Object.keys(JSON.parse(texts.other));
  const named = Object.values(callFacts).flatMap((fact) => ("other" in fact ? [fact.other] : []));

  expect(named).not.toBeEmpty();
  expect(named.filter((name) => !other.includes(name))).toEqual([]);
});

test("a row has the values of its columns in their order", () => {
  const charge = { type: 2, charged: 5, writeOff: 1, input: 10, output: 3, usage: "{}" } as const;
  const costs = { cost: 4, costVersion: 2, reportedCost: "0.1", salt: "ab" };
  const counts = { usageSource: "local", seenOutput: 3, priceVersion: 7 };
  const row = rowOf({ log, texts, charge: { ...charge, ...costs, ...counts } });

  expect(Object.keys(row)).toEqual([...insertedColumns]);
  expect(Object.values(row)).toEqual(valuesOf(row));
  expect(row).toMatchObject({ channel: 5, quota: 5, cost: 4, salt: "ab", seen_output: 3 });
});
