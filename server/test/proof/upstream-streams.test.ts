import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { DemoScript } from "@tollgate/demo/script.ts";
import { balanceOf, eventually, readSelf } from "./ledger.ts";
import { chat, errorOf, eventsOf, isDone } from "./chat-call.ts";
import {
  addScripted,
  ask,
  chargeOf,
  expectBrokenStream,
  expectFormula,
  expectFreeError,
  expectWhole,
  type Scene,
  wholeCharge,
} from "./fault-scene.ts";
import { addSpender, openInstallation } from "./installation.ts";
import { mebibyte, memoryOf, sampleBalance, startSampler } from "./samples.ts";

let scene: Scene;
beforeAll(async () => {
  const place = await openInstallation("sqlite", { models: [], channel: { models: "unused" } });
  scene = { place, spender: await addSpender(place, 1_000_000_000) };
});
afterAll(async () => await scene.place.close());

/** Unusual streams that the standard allows. Each is one answer at one price. */
const odd: readonly { readonly what: string; readonly script: DemoScript }[] = [
  { what: "CR line ends", script: { lineEnd: "\r" } },
  { what: "CRLF line ends, cut between the two", script: { lineEnd: "\r\n", splitBytes: 1 } },
  { what: "characters cut in the middle", script: { piece: "你好🙂", splitBytes: 1 } },
  { what: "a byte order mark", script: { bom: true } },
  { what: "floods of comments", script: { comments: 2_000 } },
  { what: "no blank after the colon", script: { noBlankAfterColon: true } },
  { what: "ten million empty lines", script: { emptyLines: 10_000_000 } },
  { what: "a line of 64 MB", script: { longLineBytes: 64_000_000 } },
  { what: "NUL bytes", script: { nul: true } },
  { what: "two [DONE]", script: { done: 2 } },
  {
    what: "data after [DONE]",
    script: { afterDone: 'data: {"choices":[{"delta":{"content":"x"}}]}\n\n' },
  },
  { what: "no [DONE]", script: { done: false } },
  { what: "usage twice", script: { usageTwice: true } },
  { what: "interim heads", script: { informational: 20 } },
  { what: "a body without chunks", script: { headers: { connection: "close" } } },
];

describe("an unusual event stream is one answer with one charge", () => {
  for (const { what, script } of odd) {
    test(what, async () => {
      const model = await addScripted(scene, script);
      const answer = await ask(scene, model, true, { keptBytesMax: 100_000_000 });
      expect(answer.status, answer.text.slice(0, 500)).toBe(200);
      expect(answer.complete).toBe(true);
      expect(errorOf(answer)).toBeUndefined();
      const ends = answer.text.split("[DONE]").length - 1;
      expect(ends).toBeLessThanOrEqual(1);
      if (script.done !== false) expect(ends).toBe(1);
      const row = await chargeOf(scene, model);
      expect(row.quota).toBe(wholeCharge);
      expect(row.usage_source).toBe("upstream");
    });
  }
});

test("an event that never ends is not passed on as a free answer", async () => {
  const model = await addScripted(scene, { noBlankLine: true });
  const answer = await ask(scene, model, true);
  if (answer.status === 200) {
    const row = await chargeOf(scene, model);
    expectFormula(row);
    expect(row.quota).toBeGreaterThan(0);
  } else {
    await expectFreeError(scene, model, answer, [502]);
  }
});

describe("an upstream that is too slow", () => {
  const script: DemoScript = { cut: { after: "connect", how: "silence" } };

  test("silent from the start: an error when the first byte is overdue", async () => {
    const model = await addScripted(scene, script, { setting: { firstByteMs: 700 } });
    await expectFreeError(scene, model, await ask(scene, model, false), [504]);
    await expectFreeError(scene, model, await ask(scene, model, true), [504]);
  });

  test("silent in the middle: an error event when the next chunk is overdue", async () => {
    const model = await addScripted(
      scene,
      { cut: { after: 5, how: "silence" } },
      { setting: { betweenChunksMs: 700 } },
    );
    await expectBrokenStream(scene, model, await ask(scene, model, true));
  });

  test("dripping: an error event when the whole is overdue", async () => {
    const model = await addScripted(scene, { drip: 3 }, { setting: { totalMs: 4_000 } });
    await expectBrokenStream(scene, model, await ask(scene, model, true));
  });

  test("silent for long: the client gets comments and then the answer", async () => {
    const model = await addScripted(scene, { headDelayMs: 17_000 });
    const answer = await ask(scene, model, true);
    expect(answer.text).toStartWith(":");
    await expectWhole(scene, model, answer, { stream: true });
  });
});

describe("an answer without end", () => {
  test("streamed, it ends when the balance does, never below 0", async () => {
    const model = await addScripted(scene, { neverEnd: true, eventDelayMs: 1, piece: "ab " });
    // The balance pays for 1,000 output tokens.
    const spender = await addSpender(scene.place, 6_000);
    const sampler = sampleBalance(spender.client);
    const answer = await chat(scene.place.origin, { key: spender.key, model, stream: true });
    expect(errorOf(answer)?.code).toBe("insufficient_user_quota");
    expect(isDone(answer.text)).toBe(false);
    const samples = await sampler.stop();
    expect(Math.min(...samples)).toBeGreaterThanOrEqual(0);
    const row = await chargeOf(scene, model);
    expect(row.request_id).toBe(answer.headers.get("x-request-id") ?? "");
    expect(await balanceOf(spender.client)).toBe(6_000 - row.quota);
    expect(row.quota).toBeGreaterThan(3_000);
    expect((await readSelf(spender.client)).request_count).toBe(1);
    // The gateway must also have ended its call to the upstream.
    await eventually(
      () => scene.place.demo.openCalls(),
      (open) => open === 0,
      { what: "no call upstream" },
    );
  });

  test("not streamed, it ends at the size limit, and is free", async () => {
    const model = await addScripted(scene, { neverEnd: true, pieceBytes: 1_000_000 });
    await expectFreeError(scene, model, await ask(scene, model, false), [502]);
  });
});

describe("bombs cost an error and no memory", () => {
  const bombs: readonly { readonly what: string; readonly script: DemoScript }[] = [
    { what: "10 GB in gzip", script: { encoding: "gzip-bomb" } },
    { what: "10 GB in Brotli", script: { encoding: "br-bomb" } },
    { what: "a body of 1 GB", script: { pieceBytes: 16_000_000, events: 64 } },
    { what: "headers of 100 MB", script: { hugeHeaders: 100_000_000 } },
  ];
  for (const { what, script } of bombs) {
    test(what, async () => {
      const model = await addScripted(scene, script);
      const { pid } = scene.place.gateway();
      const before = memoryOf(pid);
      const sampler = startSampler(20, () => memoryOf(pid));
      await expectFreeError(scene, model, await ask(scene, model, false), [502]);
      const growth = Math.max(...(await sampler.stop())) - before;
      // The gateway buffers at most 64 MB of an answer that is not streamed, and may hold them
      // twice.
      expect(growth).toBeLessThan(200 * mebibyte);
    });
  }

  test("interim heads without end: the call ends in time", async () => {
    const model = await addScripted(
      scene,
      { informational: 1_000_000_000 },
      { setting: { firstByteMs: 1_500 } },
    );
    const { pid } = scene.place.gateway();
    const before = memoryOf(pid);
    const answer = await ask(scene, model, false);
    await expectFreeError(scene, model, answer, [502, 504]);
    expect(memoryOf(pid) - before).toBeLessThan(100 * mebibyte);
    expect(eventsOf(answer.text)).toEqual([]);
  });
});
