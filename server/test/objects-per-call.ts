/**
 * Counts the objects that the relay makes for a small call. Without garbage collection none of them
 * disappears, so the counts are exact. Relay, judge and queue are the real ones; HTTP server,
 * upstream and database are stand-ins that make next to nothing.
 */

import { heapStats } from "bun:jsc";
import { unitPrice } from "@tollgate/contract/money/charge.ts";
import { openByteBudget } from "#base/memory/byte-budget.ts";
import { openLogger } from "#base/logger.ts";
import { openRateLimits } from "#base/rate-limit.ts";
import type { ClientRequest, ClientResponse } from "#http/client-request.ts";
import { openAttemptTallies } from "#modules/channel-statistics/attempt-tallies.ts";
import { openHolds } from "#modules/ledger/holds.ts";
import { openJudge } from "#modules/ledger/judge.ts";
import { noPace, openQueue } from "#modules/ledger/queue.ts";
import { openTicker } from "#network/ticker.ts";
import type { TransportAnswer } from "#network/answer.ts";
import type { RelayDeps } from "#relay/deps.ts";
import { openRelay } from "#relay/relay.ts";
import { openTestAnswers, openTestIssuers } from "#relay/testing/kept.ts";
import { testPrices } from "#relay/testing/prices.ts";
import { noTasks, testChannel, testSnapshot, testToken, testUser } from "#relay/testing/relay.ts";

const warmUpCalls = 200;
const countedCalls = 400;
/** Nothing is hidden here. */
const hashes = {
  lookupOf: (key: string) => key,
  hashedLookupOf: (key: string) => key,
  endUserOf: (name: string) => name,
  adoptKey() {},
};

/** How many calls run at the same time, as on a busy server. */
const atOnce = 20;

const body = Buffer.from('{"model":"m","messages":[{"role":"user","content":"hi"}]}');
const answerBytes = Buffer.from(
  '{"id":"1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":' +
    '{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,' +
    '"completion_tokens":1,"total_tokens":10}}',
);

const answered: TransportAnswer = {
  kind: "answer",
  status: 200,
  mediaType: "application/json",
  retryAfter: null,
  read: () => Promise.resolve(null),
  flowTo() {},
  readAll: () => answerBytes,
  cancel() {},
};

/** A small call needs no thread but the relaying one. */
const threads = {
  tokenizer: { count: async () => 0, countPrompt: async () => 0, warm() {} },
  readApart: async () => null,
};

const channels = [1, 2, 3].map((id) => testChannel({ id, baseUrl: "https://example.com" }));
const tiers = [{ priority: 0, channels }];

const alone = { nodeShare: (limit: number) => limit, places: null, tellNodes() {} };

function openCountedRelay() {
  const elapsed = (): number => 1_000;
  const judge = openJudge();
  judge.grant(`user:${testUser.id}`, 10 ** 12);
  const queue = openQueue({
    nodeId: "n",
    epoch: () => 1,
    rejoin: async () => {},
    send: async ({ operations }) => ({
      kind: "committed",
      results: operations.map(() => ({ type: "settled", charged: 0, writeOff: 0 })),
    }),
    pace: { ...noPace, youngMs: 5, aloneMs: 20 },
    elapsed,
    wait: Bun.sleep,
    onRefused() {},
    onStoreState() {},
  });
  const holds = openHolds({
    policy: "whole",
    judge,
    queue,
    isCurrent: () => true,
    now: elapsed,
    wait: Bun.sleep,
    payDebt: async () => ({ posted: null }),
  });
  const snapshot = {
    ...testSnapshot({ channels }),
    findToken: () => testToken,
    readToken: async () => testToken,
    findUser: () => testUser,
    tiersFor: () => tiers,
  };
  let requestId = 0;
  const deps: RelayDeps = {
    snapshot,
    now: elapsed,
    random: () => 0.5,
    newRequestId: () => `request-${(requestId += 1)}`,
    errorText: (message) => message,
    tasks: noTasks,
    ...hashes,
    priceOf: (model, group) => unitPrice(testPrices, model, group),
    reserve: holds.reserve,
    recordFailure() {},
    freezeToken() {},
    transport: () => Promise.resolve(answered),
    ticker: openTicker(elapsed),
    ...alone,
    limits: openRateLimits({ now: elapsed }),
    budget: openByteBudget(64 * 1024 * 1024),
    shedsLoad: () => false,
    answers: openTestAnswers(),
    issuers: openTestIssuers(),
    openTranscript: () => ({ add() {}, end() {} }),
    traces: null,
    ...threads,
    disableChannel() {},
    suspectChannel() {},
    markToken() {},
    findCall: async () => null,
    readSpending: () => Promise.reject(new Error("no call reads spending")),
    log: openLogger("silent"),
    metrics: { callEnded() {}, channelFault() {}, settleLag() {}, callsOpen() {} },
    attempts: openAttemptTallies(),
  };
  return { relay: openRelay(deps), newRequestId: deps.newRequestId };
}

const headers = { get: (name: string) => (name === "authorization" ? "Bearer sk-testkey" : null) };
let ok = 0;

const request: ClientRequest = {
  method: "POST",
  url: "/v1/chat/completions",
  host: "example.com",
  headers,
  fields: () => [],
  peer: "127.0.0.1",
  length: body.length,
  readBody: () => body,
  takeBody: () => Promise.resolve("whole"),
  onDisconnect() {},
  respond({ status }: ClientResponse) {
    if (status === 200) ok += 1;
  },
  stream: () => null,
  acceptWebSocket: () => null,
  freeBody() {},
  hasWaited: () => false,
  changeHead() {},
};

const { relay, newRequestId } = openCountedRelay();

async function run(calls: number): Promise<void> {
  for (let made = 0; made < calls; made += atOnce) {
    const running: Promise<void>[] = [];
    for (let at = 0; at < atOnce; at += 1) {
      running.push(relay.answer(request, { clientIp: "127.0.0.1", requestId: newRequestId() }));
    }
    await Promise.all(running);
  }
}

await run(warmUpCalls);
const before = heapStats().objectTypeCounts;
ok = 0;
await run(countedCalls);
const after = heapStats().objectTypeCounts;
const counts: Record<string, number> = {};
let all = 0;
for (const [type, count] of Object.entries(after)) {
  const made = (count - (before[type] ?? 0)) / countedCalls;
  all += made;
  if (made >= 0.1) counts[type] = Math.round(made * 10) / 10;
}
process.stdout.write(`${JSON.stringify({ ok, all: Math.round(all * 10) / 10, counts })}\n`);
process.exit(0);
