import { expect, test } from "bun:test";
import { unitPrice } from "@tollgate/contract/money/charge.ts";
import { submodel } from "#providers/submodel.ts";
import { type CallKind, openPlans, type Plan, wayTo } from "./plan.ts";
import type { Snapshot } from "#ports/snapshot.ts";
import { planCall } from "./admission/admit.ts";
import type { Credential } from "./call/facts.ts";
import { testPrices } from "./testing/prices.ts";
import { testChannel, testSnapshot, testToken, testUser } from "./testing/relay.ts";

const baseUrl = "https://example.com";
const chat: CallKind = { formatId: "openai-chat", modality: "chat", isStream: false };
const caller: Credential = { token: testToken, user: testUser, pinnedChannelId: null };
const channels = [testChannel({ id: 1, baseUrl }), testChannel({ id: 2, baseUrl, priority: -1 })];
const own = testSnapshot({ channels });

/** Returns a function that finds plans as the relay does, from a snapshot that may change. */
function openPlanner(first: Snapshot = own) {
  const plans = openPlans();
  const planner = {
    snapshot: first,
    plan(credential: Credential = caller, model = "m", kind: CallKind = chat): Plan {
      const { snapshot } = planner;
      const priceOf = (name: string, group: string) => unitPrice(snapshot.prices.list, name, group);
      return planCall({ snapshot, priceOf }, plans, credential, model, kind);
    },
  };
  return planner;
}

test("calls of one group, model and kind have one plan, and others have their own", () => {
  const { plan } = openPlanner();
  const first = plan();

  expect(plan()).toBe(first);
  expect(plan({ ...caller, token: { ...testToken, id: 71 } })).toBe(first);
  expect(plan(caller, "demo-fast")).toMatchObject({ model: "demo-fast" });
  const stream = plan(caller, "m", { ...chat, isStream: true });
  expect(stream).not.toBe(first);
  expect(plan(caller, "m", { ...chat, isStream: true })).toBe(stream);
  expect(plan(caller, "m", { ...chat, modality: "embeddings" }).modality).toBe("embeddings");
  expect(plan()).toBe(first);
});

test("changed prices and channels count from the next call on", () => {
  const planner = openPlanner();
  const before = planner.plan();
  const list = { ...testPrices, ModelRatio: { m: "3" } };
  const channel = testChannel({ id: 9, baseUrl });
  planner.snapshot = { ...testSnapshot({ channels: [channel] }), prices: { id: 4, list } };
  planner.snapshot = { ...planner.snapshot, revision: own.revision + 1 };
  const after = planner.plan();

  expect(before).toMatchObject({ prices: { id: 3 }, logPrice: { model: "2" } });
  expect(after).toMatchObject({
    prices: { id: 4 },
    logPrice: { model: "3" },
    tiers: [{ channels: [{ id: 9 }] }],
  });
  expect(after.price).toEqual(unitPrice(list, "m", "default") ?? after.price);
  expect(planner.plan()).toBe(after);
});

test("a caller who may not use the group or the model any more is refused although a plan is kept", () => {
  const friends = testSnapshot({ channels: [testChannel({ baseUrl, groups: new Set(["vip"]) })] });
  const planner = openPlanner(friends);
  const friend: Credential = { ...caller, token: { ...testToken, group: "vip" } };
  const limited = { ...friend, token: { ...friend.token, modelLimits: new Set(["other"]) } };
  planner.plan(friend);

  expect(() => planner.plan(limited)).toThrow("该令牌无权访问模型 m");
  const options = { ...friends.options, usableGroups: {} };
  planner.snapshot = { ...friends, options };
  expect(() => planner.plan(friend)).toThrow("令牌分组 vip 已被禁用");
});

test("the plan of a key that names its channel is for that call alone", () => {
  const { plan } = openPlanner();
  const first = plan();
  const pinned = plan({ ...caller, pinnedChannelId: 2 });

  expect(pinned).toMatchObject({ pinned: true, tiers: [{ channels: [{ id: 2 }] }] });
  expect(plan()).toBe(first);
  expect(() => plan({ ...caller, pinnedChannelId: 99 })).toThrow("无效的渠道 Id");
});

test("a channel whose provider cannot answer this kind of call is not in the plan", () => {
  const snapshot = testSnapshot({
    channels: [
      testChannel({ id: 1, baseUrl, provider: submodel }),
      testChannel({ id: 2, baseUrl }),
    ],
  });
  const { plan } = openPlanner(snapshot);
  const idsOf = ({ tiers }: Plan) => tiers.flatMap((tier) => tier.channels.map(({ id }) => id));

  expect(idsOf(plan())).toEqual([1, 2]);
  expect(idsOf(plan(caller, "m", { ...chat, modality: "embeddings" }))).toEqual([2]);
});

test("the way to a channel's upstream is found once, with its name of the model", () => {
  const channel = testChannel({ baseUrl, modelMapping: new Map([["m", "upstream-m"]]) });
  const { plan } = openPlanner(testSnapshot({ channels: [channel] }));
  const way = wayTo(plan(), channel);

  expect(way).toMatchObject({ model: "upstream-m", target: { path: "/v1/chat/completions" } });
  expect(wayTo(plan(), channel)).toBe(way);
});
