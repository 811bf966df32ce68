import { afterAll, expect, test } from "bun:test";
import { judgeAddress, openAddressPolicy } from "#base/address-policy.ts";
import { openAddressBook } from "#network/address-book.ts";
import { openTicker } from "#network/ticker.ts";
import { openTransport } from "#network/transport.ts";
import { openOutbound } from "./outbound.ts";

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/large") return new Response("x".repeat(65 * 1_024));
    return new Response("答", { status: pathname === "/refused" ? 403 : 200 });
  },
});
afterAll(async () => await server.stop(true));

const policy = openAddressPolicy({ privateRanges: [], loopback: true });
const nowMs = () => performance.now();
const addresses = openAddressBook({
  allows: (address) => judgeAddress(address, policy),
  resolve: async () => [],
  nowMs,
});
const outbound = openOutbound(openTransport({ addresses, ticker: openTicker(nowMs) }));

async function post(path: string) {
  const url = `http://127.0.0.1:${server.port}${path}`;
  return await outbound({ method: "POST", url, headers: {}, body: "{}" });
}

test("A-036: a receiver's answer is returned, because a 200 may be a refusal", async () => {
  expect(await post("/")).toEqual({ ok: true, text: "答" });
});

test("a receiver that refuses, or answers without end, counts as not reached", async () => {
  expect(await post("/refused")).toEqual({ ok: false, reason: "http-403" });
  expect(await post("/large")).toEqual({ ok: false, reason: "answer-too-large" });
});
