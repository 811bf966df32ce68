import { expect, test } from "bun:test";
import { chargedTexts } from "#canonical/call-texts.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { hashRow } from "./log-hash.ts";
import { blankRow, callFacts, insertedColumns, rowOf, valuesOf } from "./log-fields.ts";

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

test("a column that was added is covered by the hash, and rows of before it keep theirs", () => {
  const call = { ...blankRow, request_id: "r", type: 2 };
  const named = { upstream_request_id: "req_9" };
  // Computed before there was the column.
  for (const [salt, before] of [
    ["", "141c37e6dcb87eeec269964d6c99d3b093b88ec4556871774d61622232f11fee"],
    ["ab", "7e60503ea0c15aad43617daeae9be492c654a60db6b18b07ae3834eee21ffa3c"],
  ] as const) {
    expect(hashRow({ ...call, salt }, 7)).toBe(before);
    expect(hashRow({ ...call, salt, ...named }, 7)).not.toBe(before);
  }
});
