import { unitPrice, noUsage } from "@tollgate/contract/money/charge.ts";
import { expect, test } from "bun:test";
import { openLogger } from "#base/logger.ts";
import { openTicker } from "#network/ticker.ts";
import type { ChargedCallLog } from "#canonical/call-log.ts";
import { testPrices } from "#relay/testing/prices.ts";
import { openBill, settle } from "./settle.ts";

const price = unitPrice(testPrices, "m", "default");
if (price === undefined) throw new Error("the model m has no price");

/** Settles a call that held this much and used this many input tokens. Returns the frozen tokens. */
async function frozenBy(
  held: number,
  input: number,
  tokenId = 7,
  pinnedChannelId: number | null = null,
): Promise<number[]> {
  const frozen: number[] = [];
  const hold = {
    amount: () => held,
    extend: () => 0,
    settle: async ({ charge }: { charge: number }) => ({ charged: charge, writeOff: 0 }),
    shortOf: () => "user" as const,
    reverse() {},
    release() {},
  };
  const deps = {
    freezeToken: (overrun: { tokenId: number }) => void frozen.push(overrun.tokenId),
    log: openLogger("silent"),
    ticker: openTicker(() => 0),
    metrics: { callEnded() {}, channelFault() {}, settleLag() {}, callsOpen() {} },
  };
  const call = {
    requestId: "r",
    price: price ?? Object.create(null),
    bill: openBill(hold),
    credential: { token: { id: tokenId }, pinnedChannelId },
    plan: { dollar: 100 },
  };
  // Safe cast: of the log record only the usage is read, the hold above ignores the rest.
  const log = { usage: { ...noUsage, input } } as ChargedCallLog;
  await settle(deps, call, log);
  return frozen;
}

test("P-M11: a token is frozen when a call costs over ten times its hold and at least a dollar", async () => {
  expect(await frozenBy(10, 1_000_000)).toEqual([7]);
  expect(await frozenBy(1, 11)).toEqual([]);
  expect(await frozenBy(1_000_000_000, 1_000_000)).toEqual([]);
  // A playground call has no token to freeze.
  expect(await frozenBy(10, 1_000_000, 0)).toEqual([]);
});

test("a channel that reports too much does not freeze the key with which its administrator tests it", async () => {
  expect(await frozenBy(10, 1_000_000, 7, 3)).toEqual([]);
});
