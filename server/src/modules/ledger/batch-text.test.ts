import { noUsage } from "@tollgate/contract/money/charge.ts";
import { expect, test } from "bun:test";
import { decodeBatch, encodeBatch } from "./batch-text.ts";
import type { Operation } from "./operations.ts";
import { take } from "./testing/books.ts";
import { chargedLog, failedLog } from "./testing/calls.ts";

// Different values everywhere, so that two fields that change places are noticed.
const usage = Object.fromEntries(Object.keys(noUsage).map((name, index) => [name, 11 + index]));

const odd = chargedLog({
  requestId: "r-odd",
  createdAt: 1,
  userId: 2,
  username: "用户\n",
  tokenId: 3,
  tokenName: "\ud800 half a pair",
  tried: [7, 4],
  modelName: "client-name",
  upstreamModel: "upstream-name",
  group: "vip",
  useTimeSeconds: 5,
  firstByteMs: null,
  isStream: false,
  clientIp: "2001:db8::1",
  effort: "high",
  losses: ["a", "b"],
  upstream_request_id: "req_9",
  usage: { ...noUsage, ...usage },
  usageSource: "suspect",
  seenOutput: 41,
  priceVersion: 6,
  price: {
    fixed: "0.1",
    model: "1.1",
    completion: "1.2",
    group: "1.3",
    cache: "1.4",
    cacheCreation: "1.5",
    cacheHour: "1.8",
    audio: "1.6",
    audioCompletion: "1.7",
  },
  interrupted: "客户端断开",
  doubt: "contradiction",
  hiddenOutput: true,
});

const rare = { cacheAudio: 31, cacheImage: 32, searches: 33, minute: 34 };
const settle = { type: "settle", id: "r-odd", tokenLimited: true, charge: 9 } as const;

test("the writer charges and logs exactly what the relay sent, whatever the texts contain", () => {
  const operations: Operation[] = [
    { ...settle, charged: null, log: odd },
    { ...settle, id: "r", charged: 8, tokenLimited: false, log: chargedLog() },
    { ...settle, charged: null, log: { ...odd, usage: { ...odd.usage, callThousandths: 2_500 } } },
    { ...settle, charged: null, log: { ...odd, usage: { ...odd.usage, tier: "priority" } } },
    { ...settle, charged: null, log: { ...odd, usage: { ...odd.usage, minute: 0 } } },
    { ...settle, charged: null, log: { ...odd, usage: { ...odd.usage, ...rare } } },
    { type: "reverse", id: "r-odd", tokenLimited: true, charge: 9, log: odd, atMs: 77 },
    { type: "fail", log: failedLog({ requestId: "f", losses: ["c"] }) },
    { ...settle, charged: null, log: { ...odd, tags: ["job:batch"] } },
    { type: "fail", log: failedLog({ requestId: "g", losses: [], tags: ["a", "b"] }) },
    { type: "release", id: "x", userId: 1, tokenId: 2 },
    take(70, { id: "t" }),
  ];
  const batch = { nodeId: "n", epoch: 3, again: true, operations };
  expect(decodeBatch(encodeBatch(batch))).toEqual(batch);
});

test("names and prices that many calls share cross to the writer once", () => {
  const operations = Array.from({ length: 100 }, () => ({
    ...settle,
    charged: null,
    log: { ...odd, username: "a-user-with-a-name" },
  }));
  const text = encodeBatch({ nodeId: "n", epoch: 1, again: false, operations });
  expect(text.split("a-user-with-a-name")).toHaveLength(2);
  expect(text.split("cacheCreation")).toHaveLength(2);
});
