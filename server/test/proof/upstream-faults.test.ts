import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import type { DemoScript } from "@tollgate/demo/script.ts";
import {
  addScripted,
  addWithFallback,
  ask,
  expectBrokenStream,
  expectFreeError,
  expectNothingLeaked,
  expectWhole,
  type Scene,
} from "./fault-scene.ts";
import { errorOf } from "./chat-call.ts";
import { lastCallId } from "./demo-process.ts";
import { addSpender, openInstallation } from "./installation.ts";

let scene: Scene;
beforeAll(async () => {
  const place = await openInstallation("sqlite", { models: [], channel: { models: "unused" } });
  scene = { place, spender: await addSpender(place, 1_000_000_000) };
});
afterAll(async () => await scene.place.close());

type Fault = {
  readonly what: string;
  readonly script: DemoScript;
  readonly statuses: readonly number[];
};

const page = "<!doctype html><html><body>Welcome to the proxy of 127.0.0.1</body></html>";
const errorInside = JSON.stringify({
  error: { message: "key sk-upstream-0001 is over its quota", type: "insufficient_quota" },
});

/** Faults of an upstream before it has sent any content. */
const beforeContent: readonly Fault[] = [
  { what: "a reset", script: { cut: { after: "connect", how: "reset" } }, statuses: [502] },
  { what: "an early end", script: { cut: { after: "connect", how: "fin" } }, statuses: [502] },
  {
    what: "a reset after the head",
    script: { cut: { after: "headers", how: "reset" } },
    statuses: [502],
  },
  { what: "429, retry after 1", script: { status: 429, retryAfter: "1" }, statuses: [429] },
  { what: "429, retry after 3600", script: { status: 429, retryAfter: "3600" }, statuses: [429] },
  {
    what: "429, retry after a date",
    script: { status: 429, retryAfter: "Wed, 21 Oct 2099 07:28:00 GMT" },
    statuses: [429],
  },
  {
    what: "429, retry after nonsense",
    script: { status: 429, retryAfter: "soon\t-1e9" },
    statuses: [429],
  },
  { what: "401 that quotes the key", script: { status: 401 }, statuses: [503] },
  { what: "403 that quotes the key", script: { status: 403 }, statuses: [503] },
  { what: "500", script: { status: 500 }, statuses: [500] },
  { what: "502", script: { status: 502 }, statuses: [502] },
  { what: "503", script: { status: 503 }, statuses: [503] },
  { what: "504", script: { status: 504 }, statuses: [504] },
  {
    what: "a page with 500",
    script: { status: 500, body: page, contentType: "text/html" },
    statuses: [500],
  },
  { what: "a page with 200", script: { body: page, contentType: "text/html" }, statuses: [502] },
  { what: "a page that says it is JSON", script: { body: page }, statuses: [502] },
  { what: "an error inside a 200", script: { body: errorInside }, statuses: [502] },
  { what: "an empty 200", script: { body: "" }, statuses: [502] },
  { what: "204", script: { status: 204 }, statuses: [502] },
  {
    what: "an error in place of the first event",
    script: { errorEvent: { after: 0, error: { message: "no" } } },
    statuses: [502],
  },
  { what: "redirect", script: { redirect: "http://127.0.0.1:9/elsewhere" }, statuses: [502, 503] },
  {
    what: "redirect with 302",
    script: { status: 302, redirect: "/v1/models" },
    statuses: [502, 503],
  },
  { what: "a flood of interim heads", script: { informational: 100_000 }, statuses: [502] },
  { what: "a head of 1 MB", script: { hugeHeaders: 1_000_000 }, statuses: [502] },
];

describe("a fault before any content gives the client a small error, free of charge", () => {
  for (const { what, script, statuses } of beforeContent) {
    for (const stream of [false, true]) {
      test(`${what}, ${stream ? "streamed" : "not streamed"}`, async () => {
        const model = await addScripted(scene, script);
        const answer = await ask(scene, model, stream);
        await expectFreeError(scene, model, answer, statuses);
      });
    }
  }
});

describe("after a fault before any content another channel is tried, and one charge is made", () => {
  for (const { what, script } of beforeContent) {
    test(what, async () => {
      const { model, soundChannelId } = await addWithFallback(scene, script);
      const before = await lastCallId(scene.place.demo);
      const answer = await ask(scene, model, true);
      const row = await expectWhole(scene, model, answer, { stream: true });
      expect(row.channel).toBe(soundChannelId);
      const { calls } = await scene.place.demo.account(before);
      // The upstream may have closed a reused connection before it read the call. Then the same
      // channel gets the call again, so the broken model may be tried twice.
      const tried = new Set(calls.map((call) => call.model));
      expect([...tried]).toEqual([`${model}-broken`, model]);
      expect(calls.length).toBeLessThanOrEqual(3);
      expect(calls.filter((call) => call.model === model).length).toBe(1);
    });
  }

  test("a refused connection", async () => {
    const model = await addScripted(scene, {}, { base_url: await closedAddress() });
    await expectFreeError(scene, model, await ask(scene, model, true), [502]);
    await expectFreeError(scene, model, await ask(scene, model, false), [502]);
  });

  test("a server that never answers the TLS handshake", async () => {
    const base_url = scene.place.demo.url.replace("http:", "https:");
    const model = await addScripted(scene, {}, { base_url, setting: { connectMs: 1_000 } });
    const from = performance.now();
    await expectFreeError(scene, model, await ask(scene, model, false), [502, 504]);
    expect(performance.now() - from).toBeLessThan(60_000);
  });

  test("400 is the client's fault: it gets the upstream's message, and no other channel is tried", async () => {
    const { model } = await addWithFallback(scene, { status: 400 });
    const before = await lastCallId(scene.place.demo);
    const answer = await ask(scene, model, false);
    await expectFreeError(scene, model, answer, [400]);
    expect(errorOf(answer)?.message).toContain("Scripted failure of the demo upstream");
    expect((await scene.place.demo.account(before)).calls.length).toBe(1);
  });
});

/** Faults of an upstream after the client has received content. */
const midStream: readonly { readonly what: string; readonly script: DemoScript }[] = [
  { what: "a reset", script: { cut: { after: 5, how: "reset" } } },
  { what: "an early end", script: { cut: { after: 5, how: "fin" } } },
  { what: "an end inside an event", script: { cut: { after: "mid-event", how: "fin" } } },
  { what: "an end before usage", script: { cut: { after: "before-usage", how: "fin" } } },
  { what: "a chunk that ends early", script: { chunked: "truncated" } },
  {
    what: "an error event",
    script: { errorEvent: { after: 5, error: { message: "at 127.0.0.1" } } },
  },
  // The announced length ends about one event after the first piece of content, so the stream is
  // cut off.
  {
    what: "a Content-Length that is too short",
    script: { contentLength: "short", headers: { "content-length": "1200" } },
  },
];

describe("a fault in the middle of a stream ends in an error event, and content is charged", () => {
  for (const { what, script } of midStream) {
    test(what, async () => {
      const model = await addScripted(scene, { ...script, eventDelayMs: 5 });
      const answer = await ask(scene, model, true);
      const row = await expectBrokenStream(scene, model, answer);
      expect(row.usage_source).toBe("local");
      expect(row.completion_tokens).toBeGreaterThan(0);
      expect(row.completion_tokens).toBeLessThan(30);
    });

    test(`${what}: an answer that is not streamed is an error, and free`, async () => {
      if (script.headers !== undefined) return;
      const model = await addScripted(scene, script);
      await expectFreeError(scene, model, await ask(scene, model, false), [502]);
    });
  }

  test("after five words five tokens are charged", async () => {
    const model = await addScripted(scene, { cut: { after: 5, how: "fin" }, eventDelayMs: 5 });
    const row = await expectBrokenStream(scene, model, await ask(scene, model, true));
    // "This is a scripted answer" has five tokens in every vocabulary in use, and "hello" has one.
    // The prompt also counts 3 for the message, 1 for its role and 3 for the answer.
    expect([row.prompt_tokens, row.completion_tokens]).toEqual([8, 5]);
    expect(row.quota).toBe(46); // (8 + 5 × 3) × 2
  });

  test("no other channel is tried once the client has received content", async () => {
    const { model } = await addWithFallback(scene, {
      cut: { after: 5, how: "reset" },
      eventDelayMs: 5,
    });
    const before = await lastCallId(scene.place.demo);
    await expectBrokenStream(scene, model, await ask(scene, model, true));
    expect((await scene.place.demo.account(before)).calls.length).toBe(1);
  });

  for (const contentLength of ["short", "long"] as const) {
    test(`not streamed: a Content-Length that is too ${contentLength}`, async () => {
      const model = await addScripted(scene, { contentLength });
      await expectFreeError(scene, model, await ask(scene, model, false), [502]);
    });
  }
});

test("headers of the upstream are not passed on", async () => {
  const model = await addScripted(scene, {
    headers: {
      "set-cookie": "a=b",
      "content-security-policy": "default-src 'none'",
      "x-accel-redirect": "/etc/passwd",
      location: "http://127.0.0.1/",
      "access-control-allow-credentials": "true",
      "x-ratelimit-remaining": "7",
    },
  });
  for (const stream of [false, true]) {
    const answer = await ask(scene, model, stream);
    expectNothingLeaked(scene, answer);
    for (const name of [
      "content-security-policy",
      "x-accel-redirect",
      "access-control-allow-credentials",
      "x-ratelimit-remaining",
    ]) {
      expect([...answer.headers.keys()]).not.toContain(name);
    }
  }
});

/** Returns an address where nothing listens. */
async function closedAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
