import { expect, test } from "bun:test";
import { channelsOf, readUnfolded, rowId, rowsOf, writeUnfolded } from "./channel-rows.ts";
import { readOpened, openTag, openTest } from "./channels.search.ts";
import { channelWith } from "./testing/channel.ts";

const one = channelWith({ id: 1, used_quota: 100, response_time: 100, status: 2 });
const two = channelWith({
  id: 2,
  used_quota: 200,
  response_time: 300,
  weight: 2,
  group: "a,b",
  models: "b,a",
});
const untested = channelWith({ id: 3, tag: "u,v" });

test("O-123 to O-128: a tag's row sums up its channels", () => {
  const [row] = rowsOf([one, two], true, new Set());
  expect(row).toMatchObject({
    tag: "t",
    used_quota: 300,
    response_time: 200,
    priority: 1,
    weight: null,
    groups: ["a", "b"],
    models: ["a", "b"],
    enabledCount: 1,
  });
});

test("an untested channel does not make a tag faster", () => {
  const [row] = rowsOf([two, { ...untested, tag: "t" }], true, new Set());
  expect(row).toMatchObject({ response_time: 300 });
});

test("an unfolded tag is followed by its channels, and the address keeps it unfolded", () => {
  const unfolded = readUnfolded(writeUnfolded(new Set(["u,v"])));
  const rows = rowsOf([one, two, untested], true, unfolded);
  expect(rows.map(rowId)).toEqual(["tag t", "tag u,v", "3"]);
  expect(readUnfolded("%")).toEqual(new Set(["%"]));
});

test("selected rows stand for each channel once, however it was selected", () => {
  const rows = rowsOf([one, two], true, new Set(["t"]));
  expect(channelsOf(rows).map(({ id }) => id)).toEqual([1, 2]);
});

test("the address names the open sheet", () => {
  expect(readOpened("new")).toEqual({ kind: "new" });
  expect(readOpened("12")).toEqual({ kind: "edit", id: 12 });
  expect(readOpened(openTest(12))).toEqual({ kind: "test", id: 12 });
  expect(readOpened(openTag("12"))).toEqual({ kind: "tag", tag: "12" });
  expect(readOpened("")).toEqual({ kind: "none" });
  expect(readOpened("1x")).toEqual({ kind: "none" });
});
