/**
 * What the official SDKs raise when an upstream fails, in each format of the demo upstream: at the
 * first byte, and in the middle of a stream, which always ends by the rules of the client's format.
 */

import { afterAll, expect, test } from "bun:test";
import { startUpstreams } from "#test/upstreams/start.ts";
import type { DemoScript } from "@tollgate/demo/script.ts";
import { eventually } from "#test/upstreams/client.ts";
import type { Frame } from "#base/frames/frame.ts";
import type { JsonObject } from "#base/json.ts";
import { openSseReader } from "#base/sse.ts";
import { outputOf } from "#canonical/usage.ts";
import { objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";
import { testKey, type TestRelay } from "#relay/testing/relay.ts";
import { type TranslatedClientId, translatedClientIds } from "#test/recordings/played.ts";
import { anthropicMessages } from "./anthropic-sdk.ts";
import { geminiGenerate } from "./google-sdk.ts";
import { openaiChat, openaiResponses } from "./openai-sdk.ts";
import type { Ask, Sdk } from "./sdk.ts";
import { openRelayTo, type Upstream, upstreams } from "./upstreams.ts";

const said = "This is a scripted answer";
const error = { message: "scripted trouble", type: "server_error", code: "overloaded" };
const pausedMs = 61_000;

/** The faults. Those in the middle of a stream come after five words. */
const faults = {
  limited: { status: 429, retryAfter: "7" },
  "fails-first": { errorEvent: { after: 0, error } },
  cut: { cut: { after: 5, how: "reset" } },
  "ends-early": { cut: { after: 5, how: "fin" } },
  "fails-midway": { errorEvent: { after: 5, error } },
  silent: { cut: { after: 5, how: "silence" } },
  slow: { hold: "head" },
  "wrong-usage": { promptTokens: 900_000_000 },
} as const satisfies Readonly<Record<string, DemoScript>>;
type Fault = keyof typeof faults;
const midway = ["cut", "ends-early", "fails-midway", "silent"] as const;
const model = "m";
/** Upstreams whose streams are framed in different ways. */
const framings = new Set(["chat", "Converse", "messages", "Ollama", "Spark", "Zhipu v3"]);

type Client = {
  readonly sdk: Sdk;
  /** The upstream whose stream it gets untouched, as far as that came. */
  readonly upstream: string;
  readonly path: string;
  readonly body: object;
  /** The names of the SDK's errors: for a limit, for another status, inside a stream. */
  readonly limited: string;
  readonly failed: string;
  readonly broken: string;
  /** Whether the stream ends as the format says that a failed one does. */
  readonly endsFailed: (frames: readonly Frame[], isPassedOn: boolean) => boolean;
};

const messages = [{ role: "user", content: "hi" }];
const openAiErrors = { limited: "RateLimitError", failed: "InternalServerError" };
const bodyOf = (frame: Frame | undefined) => objectOf(parseJson(frame?.data ?? ""));

const clients: Readonly<Record<TranslatedClientId, Client>> = {
  "openai-chat": {
    ...openAiErrors,
    sdk: openaiChat,
    upstream: "chat",
    path: "/v1/chat/completions",
    body: { messages, stream: true },
    broken: "APIError",
    // What the gateway passes on untouched has no last event, because it is not complete.
    endsFailed: (frames) =>
      bodyOf(frames.filter(({ data }) => data !== "[DONE]").at(-1))["error"] !== undefined,
  },
  "openai-responses": {
    ...openAiErrors,
    sdk: openaiResponses,
    upstream: "responses",
    path: "/v1/responses",
    body: { input: "hi", stream: true },
    broken: "APIError",
    // The failure of what the gateway passes on untouched is told by an event without a number.
    endsFailed: (frames) =>
      isFailure(bodyOf(frames.at(-1))) &&
      frames.every((frame, index) => (bodyOf(frame)["sequence_number"] ?? index) === index),
  },
  "anthropic-messages": {
    ...openAiErrors,
    sdk: anthropicMessages,
    upstream: "messages",
    path: "/v1/messages",
    body: { messages, max_tokens: 100, stream: true },
    broken: "APIError",
    endsFailed: (frames, isPassedOn) =>
      frames.at(-1)?.event === "error" && (isPassedOn || openBlocks(frames) === 0),
  },
  "gemini-generate": {
    sdk: geminiGenerate,
    upstream: "generateContent",
    path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    body: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
    limited: "ApiError",
    failed: "ApiError",
    broken: "ApiError",
    endsFailed: (frames) => bodyOf(frames.at(-1))["error"] !== undefined,
  },
};

/** Counts the blocks that begin and do not end. */
function openBlocks(frames: readonly Frame[]): number {
  const count = (name: string): number => frames.filter(({ event }) => event === name).length;
  return count("content_block_start") - count("content_block_stop");
}

function isFailure({ type, message, response }: JsonObject): boolean {
  if (type === "error") return textOf(message) !== "";
  return type === "response.failed" && objectOf(objectOf(response)["error"])["message"] !== "";
}

const demo = startUpstreams();
const relays = upstreams.map((upstream) => ({
  upstream,
  relay: openRelayTo(upstream, { demo: demo.url, models: [model] }),
}));
afterAll(async () => {
  for (const { relay } of relays) await relay.stop();
  await demo.stop();
});

/** Tells the demo upstream how to fail the next calls. */
async function play({ prefix }: Upstream, fault: Fault): Promise<void> {
  const body = JSON.stringify(faults[fault]);
  await fetch(`${demo.url}/__demo/scripts/${prefix}${model}`, { method: "PUT", body });
}

/** Reads a stream by the SDK. Returns what it read, and the error that it raised. */
async function readBySdk(sdk: Sdk, relay: TestRelay, fault: Fault) {
  const ask: Ask = {
    url: relay.url,
    key: testKey,
    model,
    stream: true,
    prompt: "hi",
    tools: false,
  };
  let text = "";
  try {
    for await (const words of sdk.words(ask)) {
      text += words;
      if (fault === "silent" && text === said) relay.skipMs += pausedMs;
    }
  } catch (raised) {
    const { name } = Object(raised).constructor as { name: string };
    return { text, name, raised: Object(raised) as Raised };
  }
  return { text, name: "", raised: {} as Raised };
}

type Raised = { readonly status?: number; readonly headers?: Headers };

/** Reads the events of a stream, and waits for its end. */
async function readFrames({ path, body }: Client, relay: TestRelay, fault: Fault) {
  const answer = await fetch(relay.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ ...body, model }),
  });
  const reader = openSseReader();
  const frames: Frame[] = [];
  let text = "";
  for await (const chunk of answer.body ?? []) {
    frames.push(...reader.push(chunk));
    const had = text.includes(" answer");
    text += Buffer.from(chunk).toString();
    if (fault === "silent" && !had && text.includes(" answer")) relay.skipMs += pausedMs;
  }
  return [...frames, ...reader.end()];
}

for (const { upstream, relay } of relays) {
  for (const id of translatedClientIds) {
    const client = clients[id];
    const pair = `${client.sdk.name} on ${upstream.name}`;

    test(`${pair}: a limit is raised as one, with the seconds to wait, at no charge`, async () => {
      const charged = relay.money.settled.length;
      await play(upstream, "limited");
      const { text, name, raised } = await readBySdk(client.sdk, relay, "limited");
      relay.skipMs += pausedMs;
      expect([text, name, raised.status]).toEqual(["", client.limited, 429]);
      // Google's SDK has no headers in its errors, and some upstreams have none in their refusals.
      const tellsPause = id !== "gemini-generate" && upstream.refusesByStatus;
      if (tellsPause) expect(raised.headers?.get("retry-after")).toBe("7");
      expect(relay.money.settled).toHaveLength(charged);
    });

    test(`${pair}: an error in front of the first word is an error status, at no charge`, async () => {
      const charged = relay.money.settled.length;
      await play(upstream, "fails-first");
      const { text, name, raised } = await readBySdk(client.sdk, relay, "fails-first");
      relay.skipMs += pausedMs;
      expect([text, name]).toEqual(["", client.failed]);
      expect(raised.status).toBeGreaterThanOrEqual(500);
      expect(relay.money.settled).toHaveLength(charged);
    });

    test(`${pair}: a slow first word is waited for, and the whole answer is paid`, async () => {
      const charged = relay.money.settled.length;
      const { calls } = demo.account().totals;
      await play(upstream, "slow");
      const reading = readBySdk(client.sdk, relay, "slow");
      await eventually(() => demo.account().totals.calls > calls);
      expect(relay.money.settled).toHaveLength(charged);
      await fetch(`${demo.url}/__demo/release/${upstream.prefix}${model}`, { method: "POST" });
      const { text, name } = await reading;
      expect([text.split(" ").length, name]).toEqual([40, ""]);
      await eventually(() => relay.money.settled.length === charged + 1);
    });

    if (upstream.reportsUsage) {
      test(`${pair}: a usage that cannot be is not paid, but what the gateway counted`, async () => {
        await play(upstream, "wrong-usage");
        const { name } = await readBySdk(client.sdk, relay, "wrong-usage");
        const log = relay.money.settled.at(-1)?.log;
        expect([name, log?.usageSource]).toEqual(["", "suspect"]);
        expect(log?.usage.input).toBeLessThan(100);
      });
    }

    // What comes in one piece breaks off before a word of it is known.
    for (const fault of upstream.streams ? [] : (["cut", "ends-early"] as const)) {
      test(`${pair}, ${fault}: an answer that breaks off is an error status, at no charge`, async () => {
        const charged = relay.money.settled.length;
        await play(upstream, fault);
        const { text, name } = await readBySdk(client.sdk, relay, fault);
        relay.skipMs += pausedMs;
        expect([text, name]).toEqual(["", client.failed]);
        expect(relay.money.settled).toHaveLength(charged);
      });
    }

    for (const fault of upstream.streams ? midway : []) {
      // Each case of silence waits for the relay's clock, so one upstream of each framing has it.
      if (fault === "silent" && !framings.has(upstream.name)) continue;

      test(`${pair}, ${fault}: the words are read, the error is raised, and what came is paid`, async () => {
        const charged = relay.money.settled.length;
        await play(upstream, fault);
        const { text, name } = await readBySdk(client.sdk, relay, fault);
        relay.skipMs += pausedMs;
        expect([text, name]).toEqual([said, client.broken]);
        const bills = relay.money.settled.slice(charged);
        expect(bills.map(({ log }) => outputOf(log.usage) > 0)).toEqual([true]);
      });

      test(`${pair}, ${fault}: the stream is closed as its format says`, async () => {
        await play(upstream, fault);
        const frames = await readFrames(client, relay, fault);
        relay.skipMs += pausedMs;
        const isPassedOn = upstream.name === client.upstream;
        expect(client.endsFailed(frames, isPassedOn) ? "" : frames.at(-1)).toBe("");
      });
    }
  }
}
