/**
 * Passes recorded answers through the relay. Those of formats that only upstreams speak: the upstream
 * is asked at its own path, and clients get the text in their format. Those of Responses: clients get
 * the bytes. The charge is that of the usage that the recording is known to report.
 */

import { afterAll, beforeAll, expect, test } from "bun:test";
import type { JsonObject } from "#base/json.ts";
import { type Recording, replay } from "#formats/testing/recordings.ts";
import { type TranslatedFormatId, translations } from "#formats/translation-registry.ts";
import { startUpstream } from "#network/testing/upstream.ts";
import { ali } from "#providers/ali.ts";
import { bedrock } from "#providers/bedrock.ts";
import { cohere } from "#providers/cohere.ts";
import { openai } from "#providers/openai.ts";
import { ollama } from "#providers/ollama.ts";
import type { Provider } from "#providers/provider.ts";
import { openTestRelay, type TestRelay, testChannel, testKey } from "#relay/testing/relay.ts";
import { playedRecordings, translatedClientIds, withoutCosts } from "./played.ts";

type Route = {
  readonly provider: Provider;
  readonly key?: string;
  /** The path at which the upstream is asked, whole and streamed. */
  readonly paths: readonly [string, string];
};

const awsKey = "AKIDEXAMPLE|secret|us-east-1";

const routes: Partial<Record<TranslatedFormatId, Route>> = {
  "bedrock-converse": {
    provider: bedrock,
    key: awsKey,
    paths: ["/model/m/converse", "/model/m/converse-stream"],
  },
  "bedrock-invoke": {
    provider: bedrock,
    key: awsKey,
    paths: ["/model/m/invoke", "/model/m/invoke-with-response-stream"],
  },
  "cohere-v1": { provider: cohere, paths: ["/v1/chat", "/v1/chat"] },
  "cohere-v2": { provider: cohere, paths: ["/v2/chat", "/v2/chat"] },
  dashscope: {
    provider: ali,
    paths: [
      "/api/v1/services/aigc/text-generation/generation",
      "/api/v1/services/aigc/text-generation/generation",
    ],
  },
  ollama: { provider: ollama, paths: ["/api/chat", "/api/chat"] },
};

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let answer: Uint8Array = new Uint8Array();
beforeAll(async () => {
  upstream = await startUpstream((socket) => socket.end(answer));
});
afterAll(async () => await upstream.stop());

const types = {
  "aws-event-stream": "application/vnd.amazon.eventstream",
  "json-lines": "application/x-ndjson",
  "meta-events": "text/event-stream",
  sse: "text/event-stream",
  "whole-body": "application/json",
} as const;

function respond(recording: Recording, format: TranslatedFormatId): Uint8Array {
  const { framing } = translations[format].upstream;
  const { stream } = recording.expected;
  const body = replay(recording, framing);
  const type = stream ? types[framing] : "application/json";
  const head = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

function open(format: TranslatedFormatId, { provider, key = "k" }: Route): TestRelay {
  const spoken = { [format]: provider.formats[format] };
  const channel = {
    baseUrl: upstream.url,
    provider: { ...provider, formats: spoken },
    keys: [key],
  };
  return openTestRelay({ channels: [testChannel(channel)] });
}

const asked = { model: "m", max_tokens: 200_000, messages: [{ role: "user", content: "hi" }] };

/** The units that `testPrices` charge for the usage of a recording. */
function chargeOf({ expected }: Recording): number | undefined {
  const { usage } = expected;
  if (usage === undefined || usage === null || usage.input === null) return undefined;
  const cached = usage.cached_input ?? 0;
  const written = usage.cache_write_input ?? 0;
  const plain = usage.input - cached - written;
  return plain * 2 + cached + written * 2.5 + usage.output * 8;
}

async function post(relay: TestRelay, path: string, body: JsonObject) {
  const sent = await fetch(relay.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await sent.text();
  await relay.stop();
  return { status: sent.status, text };
}

/** The events without the line that ends streams of chat completions: Responses need not have it. */
const withoutDone = (events: string): string => events.replace(/data: \[DONE\]\n\n$/, "");

function replayed(recording: Recording, format: TranslatedFormatId): string {
  return Buffer.from(replay(recording, translations[format].upstream.framing)).toString();
}

const clientOnly: readonly string[] = translatedClientIds;

for (const { recording, format } of playedRecordings()) {
  const { expected, id, response } = recording;
  if (clientOnly.includes(format) || response.status >= 400 || expected.error) continue;

  test(`${id}: the relay asks ${format} for it and charges what it reports`, async () => {
    const route = routes[format];
    if (route === undefined) throw new Error(`no route to ${format}`);
    const relay = open(format, route);
    answer = respond(recording, format);
    const { stream } = expected;
    const { status, text } = await post(relay, "/v1/messages", { ...asked, stream });
    const [line] = upstream.requests.at(-1)?.split("\r\n") ?? [];

    expect([status, line]).toEqual([200, `POST ${route.paths[stream ? 1 : 0]} HTTP/1.1`]);
    expect(text.includes(stream ? "message_stop" : '"stop_reason"')).toBe(true);
    const charge = chargeOf(recording);
    const charges = relay.money.settled.map((settled) => settled.charge);
    if (charge !== undefined) expect(charges).toEqual([Math.round(charge)]);
  });
}

for (const { recording, format } of playedRecordings()) {
  const { expected, id, response } = recording;
  if (format !== "openai-responses" || response.status >= 400 || expected.error) continue;

  test(`${id}: clients of Responses get the bytes, and what they report is charged`, async () => {
    const relay = open(format, { provider: openai, paths: ["/v1/responses", "/v1/responses"] });
    answer = respond(recording, format);
    const { stream } = expected;
    const question = { model: "m", input: "hi", max_output_tokens: 200_000, stream };
    const { status, text } = await post(relay, "/v1/responses", question);

    expect(status).toBe(200);
    expect(shown(text) === shown(replayed(recording, format))).toBe(true);
    const charge = chargeOf(recording);
    const charges = relay.money.settled.map((settled) => settled.charge);
    if (charge !== undefined) expect(charges).toEqual([Math.round(charge)]);
  });
}

/** What clients are shown: all but what the call costs the gateway, of which they are not told. */
function shown(text: string): string {
  return withoutCosts(withoutDone(text));
}
