/** Makes a client's next request from the answer that it got, as its SDK would. */

import { openSseReader } from "#base/sse.ts";
import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import { defaultSampling, noHints } from "#canonical/request.ts";
import { listOf, objectOf, parseJson, textOf } from "#formats/shared/read-json.ts";
import type { AnsweredRequest } from "#formats/translation.ts";
import { type TranslatedFormatId, translations } from "#formats/translation-registry.ts";
import type { TranslatedClientId } from "./played.ts";

export const asked: AnsweredRequest = {
  responseId: "gateway-1",
  model: "model-of-the-client",
  createdAt: 1_700_000_000,
  promptTokens: 0,
  wantsUsage: true,
  body: {},
  request: {
    model: "model-of-the-client",
    items: [],
    tools: [],
    toolChoice: null,
    parallelToolCalls: null,
    limits: { maxOutputTokens: null, stopSequences: [], count: 1 },
    sampling: defaultSampling,
    reasoning: null,
    output: null,
    media: null,
    hints: noHints,
    stream: true,
  },
};

/** The next request for each client; the answer may have called the tool `weather` as `call_1`. */
const nextTurns: Readonly<
  Record<TranslatedClientId, (answer: JsonObject, hasCall: boolean) => JsonObject>
> = {
  "anthropic-messages": ({ content }, hasCall) => ({
    model: "m",
    max_tokens: 9_000,
    thinking: { type: "enabled", budget_tokens: 2_000 },
    messages: [
      { role: "user", content: "Weather?" },
      { role: "assistant", content: content ?? null },
      {
        role: "user",
        content: hasCall
          ? [{ type: "tool_result", tool_use_id: "call_1", content: "sun" }]
          : "thanks",
      },
    ],
  }),
  "gemini-generate": ({ candidates }, hasCall) => ({
    generationConfig: { thinkingConfig: { thinkingBudget: 2_000 } },
    contents: [
      { role: "user", parts: [{ text: "Weather?" }] },
      objectOf(objectOf(listOf(candidates)[0])["content"]),
      {
        role: "user",
        parts: hasCall
          ? [{ functionResponse: { name: "weather", response: { result: "sun" } } }]
          : [{ text: "thanks" }],
      },
    ],
  }),
  "openai-chat": ({ choices }, hasCall) => ({
    model: "m",
    reasoning_effort: "low",
    max_tokens: 9_000,
    messages: [
      { role: "user", content: "Weather?" },
      objectOf(objectOf(listOf(choices)[0])["message"]),
      hasCall
        ? { role: "tool", tool_call_id: "call_1", content: "sun" }
        : { role: "user", content: "thanks" },
    ],
  }),
  "openai-responses": ({ output }, hasCall) => ({
    model: "m",
    reasoning: { effort: "low" },
    input: [
      { role: "user", content: "Weather?" },
      ...listOf(output),
      hasCall
        ? { type: "function_call_output", call_id: "call_1", output: "sun" }
        : { role: "user", content: "thanks" },
    ],
  }),
};

type Turn = {
  readonly client: TranslatedClientId;
  /** The answer that the client got, as a whole body. */
  readonly answer: JsonObject;
  readonly upstream: TranslatedFormatId;
  readonly model: string;
  readonly hasCall?: boolean;
};

/** Returns what the upstream gets of the client's next request. */
export function nextRequest({ client, answer, upstream, model, hasCall = false }: Turn) {
  const body = nextTurns[client](objectOf(parseJson(JSON.stringify(answer))), hasCall);
  const path = { modality: "chat", model: "m", stream: false } as const;
  const parsed = translations[client].client.parseRequest(body, path);
  if ("message" in parsed) throw new Error(parsed.message);
  const written = translations[upstream].upstream.writeRequest({ ...parsed.request, model }, {});
  if ("message" in written) throw new Error(written.message);
  return written;
}

/** Streams an answer to the client, and puts it together as an SDK does. */
export function streamedAnswer(
  client: TranslatedClientId,
  events: readonly CanonicalEvent[],
  request = asked,
): JsonObject {
  const writer = translations[client].client.openStreamWriter(request);
  const frames = openSseReader();
  const text = events.map((event) => writer.write(event)).join("");
  const all = [...frames.push(Buffer.from(text)), ...frames.end()];
  return accumulate[client](all.map(({ data }) => objectOf(parseJson(data))));
}

/** Puts the events of a stream together, as far as the next request repeats them. */
const accumulate: Readonly<
  Record<TranslatedClientId, (bodies: readonly JsonObject[]) => JsonObject>
> = {
  "anthropic-messages": (bodies) => {
    const content: Record<string, Json>[] = [];
    for (const body of bodies) {
      if (body["type"] === "content_block_start") {
        content.push({ ...objectOf(body["content_block"]) });
      }
      const delta = objectOf(body["delta"]);
      const block = content.at(-1);
      if (block === undefined) continue;
      for (const field of ["text", "thinking", "signature"]) {
        if (delta[field] !== undefined) block[field] = textOf(block[field]) + textOf(delta[field]);
      }
    }
    return { content };
  },
  "gemini-generate": (bodies) => {
    const parts = bodies.flatMap(({ candidates }) =>
      listOf(objectOf(objectOf(listOf(candidates)[0])["content"])["parts"]),
    );
    return { candidates: [{ content: { role: "model", parts } }] };
  },
  "openai-chat": (bodies) => {
    const deltas = bodies.map(({ choices }) => objectOf(objectOf(listOf(choices)[0])["delta"]));
    const content = deltas.map((delta) => textOf(delta["content"])).join("");
    const details = deltas.flatMap((delta) => listOf(delta["reasoning_details"]));
    return {
      choices: [{ message: { role: "assistant", content, reasoning_details: details } }],
    };
  },
  "openai-responses": (bodies) => objectOf(bodies.at(-1)?.["response"]),
};
