import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { DemoScript } from "@tollgate/demo/script.ts";
import { balanceOf, eventually } from "./ledger.ts";
import { sendChat } from "./chat-call.ts";
import { lastCallId, untilCalled } from "./demo-process.ts";
import {
  addScripted,
  ask,
  chargeOf,
  chargesOf,
  expectFormula,
  type Scene,
  wholeCharge,
} from "./fault-scene.ts";
import { addSpender, openInstallation } from "./installation.ts";
import type { RawProgress } from "./raw-call.ts";

const opening = 1_000_000_000;

let scene: Scene;
beforeAll(async () => {
  const place = await openInstallation("sqlite", { models: [], channel: { models: "unused" } });
  scene = { place, spender: await addSpender(place, opening) };
});
afterAll(async () => await scene.place.close());

/** Counts the pieces of content that the client has received. */
function pieces({ text }: RawProgress): number {
  return text().split('"content":').length - 2;
}

type CutPoint = {
  readonly what: string;
  /** Where in its script the upstream waits until the client has disconnected. */
  readonly hold: DemoScript["hold"];
  readonly when: (progress: RawProgress) => boolean;
};

const streamCuts: readonly CutPoint[] = [
  // The gateway holds the head back until it has content, so the upstream must send one piece
  // first.
  { what: "after the head", hold: 1, when: ({ status }) => status === 200 },
  { what: "after the first chunk", hold: 1, when: (progress) => pieces(progress) >= 1 },
  { what: "in the middle", hold: 10, when: (progress) => pieces(progress) >= 10 },
  { what: "before usage", hold: "before-usage", when: (progress) => pieces(progress) >= 20 },
  {
    what: "before [DONE]",
    hold: "before-done",
    when: ({ text }) => text().includes('"finish_reason":"stop"'),
  },
];

describe("a client that disconnects is charged what its upstream reports within five seconds", () => {
  for (const { what, hold, when } of streamCuts) {
    test(`a stream, disconnected ${what}`, async () => {
      const model = await addScripted(scene, { eventDelayMs: 40, hold });
      const answer = await ask(scene, model, true, {
        leaveWhen: when,
        body: { stream_options: { include_usage: true } },
      });
      expect(answer.complete).toBe(false);
      await scene.place.demo.release(model);
      const row = await chargeOf(scene, model);
      expect(row.quota).toBe(wholeCharge);
      expect(row.usage_source).toBe("upstream");
    });
  }

  for (const stream of [true, false]) {
    test(`a ${stream ? "stream" : "call"}, disconnected before the first byte`, async () => {
      // The upstream answers later than one second after the call, the time after which a client
      // that closed its sending side counts as gone.
      const model = await addScripted(scene, { hold: "head", headDelayMs: 1_500 });
      const before = await lastCallId(scene.place.demo);
      const call = sendChat(scene.place.origin, { key: scene.spender.key, model, stream });
      await untilCalled(scene.place.demo, { count: 1, afterId: before });
      call.leave();
      await call.answer;
      await scene.place.demo.release(model);
      const row = await chargeOf(scene, model);
      expect(row.quota).toBe(wholeCharge);
      expect(row.usage_source).toBe("upstream");
    });
  }
});

describe("an upstream that takes longer is cut off, and only what arrived is charged", () => {
  // The whole answer takes 20 s. The client leaves after 1 s, and the upstream is cut off five
  // seconds later.
  const script = { events: 200, eventDelayMs: 100 };

  test("a stream", async () => {
    const model = await addScripted(scene, script);
    const before = await lastCallId(scene.place.demo);
    await ask(scene, model, true, { leaveWhen: (progress) => pieces(progress) >= 10 });
    const row = await chargeOf(scene, model);
    const { calls } = await scene.place.demo.account(before);
    expect(calls[0]?.aborted).toBe(true);
    const served = calls[0]?.completionTokens ?? 0;
    expect(served).toBeLessThan(120);
    expect(row.usage_source).toBe("local");
    expectFormula(row);
    // The gateway counts the tokens itself, one or two for each word, and charges only what was
    // served.
    expect(row.completion_tokens).toBeGreaterThanOrEqual(10);
    expect(row.completion_tokens).toBeLessThanOrEqual(served * 1.5);
  });

  for (const stream of [true, false]) {
    test(`a ${stream ? "stream" : "call"} of which nothing came costs its prompt`, async () => {
      const model = await addScripted(scene, { ...script, hold: "head" });
      const before = await lastCallId(scene.place.demo);
      const call = sendChat(scene.place.origin, { key: scene.spender.key, model, stream });
      await untilCalled(scene.place.demo, { count: 1, afterId: before });
      call.leave();
      await call.answer;
      const row = await chargeOf(scene, model);
      // The gateway counts eight prompt tokens at 2 units each, whether the call is streamed or
      // not.
      expect([row.usage_source, row.prompt_tokens, row.completion_tokens]).toEqual(["local", 8, 0]);
      expect(row.quota).toBe(16);
      expect(row.content).toContain("客户端断开");
      expect((await scene.place.demo.account(before)).calls[0]?.aborted).toBe(true);
    });
  }
});

test("a hundred clients that disconnect at once are each charged once, and no hold is left", async () => {
  const model = await addScripted(scene, { eventDelayMs: 40 });
  const before = await balanceOf(scene.spender.client);
  await Promise.all(
    Array.from({ length: 100 }, () =>
      ask(scene, model, true, { leaveWhen: (progress) => pieces(progress) >= 3 }),
    ),
  );
  const rows = await eventually(
    () => chargesOf(scene, model),
    (found) => found.length === 100,
    { what: "rows of the hundred" },
  );
  for (const row of rows) {
    expectFormula(row);
    expect(row.quota).toBeGreaterThan(0);
    expect(row.quota).toBeLessThanOrEqual(wholeCharge);
  }
  const sum = rows.reduce((total, { quota }) => total + quota, 0);
  expect(await balanceOf(scene.spender.client)).toBe(before - sum);
  const metrics = await (await fetch(`${scene.place.origin}/metrics`)).text();
  expect(metrics).toContain("tollgate_holds_open 0");
});
