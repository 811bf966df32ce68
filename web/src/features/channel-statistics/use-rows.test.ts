import { expect, test } from "bun:test";
import type { ChannelUse } from "@tollgate/contract/endpoints/channel-statistics.ts";
import { isOfWholeHours, pageOfUse, sortUse, successOf, totalOf } from "./use-rows.ts";

function use(fields: Partial<ChannelUse>): ChannelUse {
  return { ...totalOf([]), channel_name: "c", ...fields };
}

const rows = [
  use({
    channel_id: 2,
    model_name: "b",
    count: 3,
    token_used: 30,
    quota: 7,
    succeeded: 9,
    failed: 1,
  }),
  use({ channel_id: 10, model_name: "a", count: 5, token_used: 20, quota: 5 }),
  use({ channel_id: 1, model_name: "c", count: 4, token_used: 10, quota: 6, succeeded: 1 }),
];
const idsOf = (sort: string) => sortUse(rows, sort).map(({ channel_id }) => channel_id);

test("O-250 to O-254: every column sorts, numbers by their size", () => {
  expect(idsOf("")).toEqual([2, 10, 1]);
  expect(idsOf("channel_id")).toEqual([1, 2, 10]);
  expect(idsOf("-channel_id")).toEqual([10, 2, 1]);
  expect(idsOf("model_name")).toEqual([10, 2, 1]);
  expect(idsOf("token_used")).toEqual([1, 10, 2]);
  expect(idsOf("-count")).toEqual([10, 1, 2]);
  expect(idsOf("quota")).toEqual([10, 1, 2]);
  // A channel without attempts comes before one of which all failed.
  expect(idsOf("success")).toEqual([10, 2, 1]);
});

test("O-255 to O-257: the last row has the sums of all rows, on each page", () => {
  for (const page of [1, 2]) {
    const shown = pageOfUse(rows, { page, size: 2, sort: "" });
    expect(shown).toHaveLength(page === 1 ? 3 : 2);
    expect(shown.at(-1)).toMatchObject({ isTotal: true, count: 12, token_used: 60, quota: 18 });
  }
  expect(pageOfUse([], { page: 1, size: 2, sort: "" })).toEqual([]);
  expect(rows.map(successOf)).toEqual([0.9, null, 1]);
});

test("O-245: a time that cuts an hour is told apart, because attempts are counted by hours", () => {
  const hour = 1_800_000_000;
  expect(isOfWholeHours({ start: 0, end: 0 })).toBe(true);
  expect(isOfWholeHours({ start: hour, end: hour + 3_599 })).toBe(true);
  expect(isOfWholeHours({ start: hour + 60, end: 0 })).toBe(false);
  expect(isOfWholeHours({ start: hour, end: hour + 3_600 })).toBe(false);
});
