import { afterEach, expect, test } from "bun:test";
import { findProvider } from "#providers/registry.ts";
import { openAddressBook } from "#network/address-book.ts";
import { readUpstreamBalance } from "./balance.ts";
import { testChannel } from "#relay/testing/relay.ts";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { openTicker } from "#network/ticker.ts";
import { openTransport } from "#network/transport.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const ticker = openTicker(() => performance.now());
const addresses = openAddressBook({
  allows: () => true,
  resolve: async () => [],
  nowMs: ticker.nowMs,
});
const transport = openTransport({ addresses, ticker });
const nowMs = Date.parse("2026-11-21T10:00:00Z");

async function ask(type: number, answers: readonly string[]) {
  const left = [...answers];
  const upstream = await startUpstream((socket) => socket.write(jsonAnswer(left.shift() ?? "")));
  stops.push(upstream.stop);
  const provider = findProvider(type);
  if (provider === undefined) throw new Error(`no type ${type}`);
  const channel = testChannel({ baseUrl: upstream.url, provider });
  return { result: await readUpstreamBalance(transport, channel, nowMs), upstream };
}

test("a dashboard's balance is its limit minus the usage, both read with the channel's key", async () => {
  const { result, upstream } = await ask(1, ['{"hard_limit_usd":20}', '{"total_usage":250}']);

  expect(result).toEqual({ ok: true, balance: 17.5 });
  expect(upstream.requests[0]).toStartWith("GET /v1/dashboard/billing/subscription ");
  expect(upstream.requests[1]).toStartWith(
    "GET /v1/dashboard/billing/usage?start_date=2026-08-14&end_date=2026-11-22 ",
  );
  expect(upstream.requests[0]?.toLowerCase()).toContain("authorization: bearer ");
});

test("a malformed or missing answer is a failure, never a balance of 0", async () => {
  expect((await ask(43, ["{}"])).result).toEqual({ ok: false, message: "上游的应答中没有余额" });
  expect((await ask(43, ["<html>"])).result).toMatchObject({
    ok: false,
    message: expect.stringContaining("不是有效的 API 应答"),
  });
  expect((await ask(47, [])).result).toMatchObject({ ok: false });
});
