import { charge, noUsage, unitPrice } from "@tollgate/contract/money/charge.ts";
import { expect, test } from "bun:test";
import { findPrice, findTerms } from "./admit.ts";
import type { Credential } from "#relay/call/facts.ts";
import { CallRefusal } from "#relay/call/call-refusal.ts";
import { affordableOutput, boundsOf, holdSize, outputCharge } from "./hold-size.ts";
import { formats } from "#formats/registry.ts";
import type { ChannelView, TokenView } from "#ports/snapshot.ts";
import { testPrices } from "#relay/testing/prices.ts";
import { testChannel, testSnapshot, testToken, testUser } from "#relay/testing/relay.ts";

const baseUrl = "https://example.com";
const channels: readonly ChannelView[] = [
  testChannel({ id: 1, baseUrl }),
  testChannel({ id: 2, baseUrl, models: new Set(["m", "vip-only"]), groups: new Set(["vip"]) }),
  testChannel({ id: 3, baseUrl, models: new Set(["asleep"]), status: 2 }),
];
const snapshot = testSnapshot({ channels });

function terms(model: string, token: Partial<TokenView> = {}, pinned: number | null = null) {
  const credential: Credential = {
    token: { ...testToken, ...token },
    user: testUser,
    pinnedChannelId: pinned,
  };
  try {
    return findTerms(snapshot, credential, model);
  } catch (error) {
    if (!(error instanceof CallRefusal)) throw error;
    return [error.status, error.message];
  }
}

test("the token's group, or else its owner's, decides on channels and price", () => {
  expect(terms("m")).toMatchObject({ group: "default", tiers: [{ channels: [{ id: 1 }] }] });
  expect(terms("m", { group: "vip" })).toMatchObject({
    group: "vip",
    tiers: [{ channels: [{ id: 2 }] }],
  });
});

test("the refusals of the specification's table", () => {
  expect(terms("m", { group: "staff" })).toEqual([403, "令牌分组 staff 已被禁用"]);
  expect(terms("m", { modelLimits: new Set(["other"]) })).toEqual([403, "该令牌无权访问模型 m"]);
  expect(terms("m", {}, 99)).toEqual([400, "无效的渠道 Id"]);
  expect(terms("m", {}, 3)).toEqual([403, "该渠道已被禁用"]);
  expect(terms("unheard-of")).toEqual([404, "当前分组 default 下对于模型 unheard-of 无可用渠道"]);
});

test("A-290: a model of other groups is forbidden, one whose channels are off may be back", () => {
  expect(terms("vip-only")).toEqual([403, "Your group is not authorized to use this model"]);
  expect(terms("asleep")).toEqual([503, "当前分组 default 下对于模型 asleep 无可用渠道"]);
});

test("a group without a ratio is refused", () => {
  const gone = testSnapshot({ channels, options: { usableGroups: { gone: "" } } });
  const credential = {
    token: { ...testToken, group: "gone" },
    user: testUser,
    pinnedChannelId: null,
  };
  expect(() => findTerms(gone, credential, "m")).toThrow("分组 gone 已被弃用");
});

test("a channel named in the key is used whatever its groups, and no other", () => {
  expect(terms("m", {}, 2)).toMatchObject({ pinned: true, tiers: [{ channels: [{ id: 2 }] }] });
});

test("a model without a price is refused, never guessed", () => {
  const priceOf = (model: string, group: string) => unitPrice(testPrices, model, group);
  expect(findPrice({ priceOf }, "m", "default").kind).toBe("tokens");
  expect(() => findPrice({ priceOf }, "unpriced", "default")).toThrow("unpriced");
  expect(() => findPrice({ priceOf }, "constructor", "default")).toThrow("constructor");
});

function body(fields: object) {
  const bytes = new TextEncoder().encode(
    JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }], ...fields }),
  );
  const read = formats["openai-chat"].client.readRequest(bytes, {
    modality: "chat",
    model: null,
  });
  if ("message" in read) throw new Error(read.message);
  return { read, bytes };
}

const price = unitPrice(testPrices, "m", "default") ?? { kind: "call", perCall: 0n, rounded: 0 };

test("the hold covers half the bytes as input and all the output asked for, times the answers", () => {
  const { read, bytes } = body({ max_tokens: 100, n: 3 });
  const input = Math.ceil(bytes.length / 2);
  const bounds = boundsOf(read, 4_096);

  const prices = { inputMax: input, searches: 1, tier: "auto" } as const;
  expect(bounds).toEqual({ input, output: 300, ...prices, isAsked: true });
  const want = charge(price, { ...noUsage, input, output: 300 });
  expect(holdSize(price, bounds, false)).toEqual({ want, least: want });
  expect(holdSize(price, bounds, true)).toEqual({
    want,
    least: charge(price, { ...noUsage, input, output: 1 }),
  });
  expect(boundsOf(body({ n: 2 }).read, 4_096).output).toBe(8_192);
});

test("media hold a fixed number of tokens, whatever their bytes", () => {
  const url = `data:image/png;base64,${"A".repeat(400_000)}`;
  const content = [{ type: "image_url", image_url: { url } }];
  const { input } = boundsOf(body({ messages: [{ role: "user", content }] }).read, 4_096);

  expect(input).toBeGreaterThanOrEqual(4_000);
  expect(input).toBeLessThan(5_000);
});

test("the hold pays for exactly so much output and not a token more", () => {
  const prices = { inputMax: 100, searches: 1, tier: "default" } as const;
  const bounds = { input: 100, output: 50, ...prices, isAsked: true };
  const full = holdSize(price, bounds, true).want;

  // 80 quota units are left after 100 input tokens at 2 units each, and pay for 10 output tokens at
  // 8.
  expect(affordableOutput(price, { ...bounds, isAsked: false }, 200 + 80)).toBe(10);
  expect(affordableOutput(price, bounds, 199)).toBe(0);
  expect(affordableOutput(price, bounds, full - 1)).toBe(49);
  expect(affordableOutput(price, bounds, full)).toBe(50);
  expect(affordableOutput({ kind: "call", perCall: 5n, rounded: 1 }, bounds, 1)).toBe(Infinity);
  expect(outputCharge(price, bounds, 1_000)).toBe(8_000);
});
