/** How upstreams of each format spell a usage report, and stream an answer with reports in it. */

import type { Json, JsonObject } from "#base/json.ts";
import { asObject } from "#formats/shared/read-json.ts";
import { anthropic } from "#providers/anthropic.ts";
import { gemini } from "#providers/gemini.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";

/** What a report says. A count that is left out is not in it; the prompt is `fresh` and `cached`. */
export type Said = {
  readonly fresh?: number | null;
  readonly cached?: number | null;
  readonly output?: number | null;
  readonly reasoning?: number;
  /** Whether the report has a total, which is the sum of what it says. */
  readonly hasTotal?: boolean;
};

type Spelling = {
  readonly provider: Provider;
  /** The path of clients that speak the same format, and of one that speaks another. */
  readonly paths: readonly [own: string, other: string];
  usage(said: Said): JsonObject;
  /** The events of a stream with a report at its beginning and one at its end; null: none there. */
  stream(first: JsonObject | null, last: JsonObject | null): readonly Json[];
  /** An answer that is not streamed. */
  whole(usage: JsonObject | null): Json;
};

/** The text of all answers, which is about as many tokens as words. */
const words = "word ".repeat(40);

const defined = (fields: Readonly<Record<string, Json | undefined>>): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );

/** The prompt with what was cached in it; undefined: the report does not say it. */
function promptOf({ cached, fresh }: Said): number | null | undefined {
  return fresh === undefined || fresh === null ? fresh : fresh + (cached ?? 0);
}

function totalOf(said: Said): number | undefined {
  return said.hasTotal === true ? (promptOf(said) ?? 0) + (said.output ?? 0) : undefined;
}

const usageField = (usage: JsonObject | null, name = "usage"): JsonObject =>
  usage === null ? {} : { [name]: usage };

const messages: Spelling = {
  provider: anthropic,
  paths: ["/v1/messages", "/v1/chat/completions"],
  usage: ({ fresh, cached, output }) =>
    defined({
      input_tokens: fresh,
      cache_read_input_tokens: cached,
      output_tokens: output,
    }),
  stream: (first, last) => [
    {
      type: "message_start",
      message: { id: "m", type: "message", role: "assistant", content: [], ...usageField(first) },
    },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: words } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, ...usageField(last) },
    { type: "message_stop" },
  ],
  whole: (usage) => ({
    id: "m",
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: words }],
    stop_reason: "end_turn",
    ...usageField(usage),
  }),
};

const chat: Spelling = {
  provider: openai,
  paths: ["/v1/chat/completions", "/v1/messages"],
  usage: (said) =>
    defined({
      prompt_tokens: promptOf(said),
      completion_tokens: said.output,
      total_tokens: totalOf(said),
      prompt_tokens_details: said.cached === undefined ? undefined : { cached_tokens: said.cached },
      completion_tokens_details:
        said.reasoning === undefined ? undefined : { reasoning_tokens: said.reasoning },
    }),
  stream: (first, last) => [
    { id: "c", choices: [{ index: 0, delta: { role: "assistant" } }], ...usageField(first) },
    { id: "c", choices: [{ index: 0, delta: { content: words } }] },
    { id: "c", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    ...(last === null ? [] : [{ id: "c", choices: [], usage: last }]),
    "[DONE]",
  ],
  whole: (usage) => ({
    id: "c",
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: words }, finish_reason: "stop" }],
    ...usageField(usage),
  }),
};

const geminiPart = (text: string, more: JsonObject = {}): JsonObject => ({
  content: { role: "model", parts: [{ text }] },
  ...more,
});

const generate: Spelling = {
  provider: gemini,
  paths: ["/v1beta/models/m:streamGenerateContent?alt=sse", "/v1/chat/completions"],
  usage: (said) =>
    defined({
      promptTokenCount: promptOf(said),
      cachedContentTokenCount: said.cached,
      candidatesTokenCount: said.output,
      thoughtsTokenCount: said.reasoning,
      totalTokenCount: totalOf(said),
    }),
  stream: (first, last) => [
    { candidates: [geminiPart("")], ...usageField(first, "usageMetadata") },
    { candidates: [geminiPart(words)] },
    {
      candidates: [geminiPart("", { finishReason: "STOP" })],
      ...usageField(last, "usageMetadata"),
    },
  ],
  whole: (usage) => ({
    candidates: [geminiPart(words, { finishReason: "STOP" })],
    ...usageField(usage, "usageMetadata"),
  }),
};

const responsePart = { type: "output_text", text: words, annotations: [] };
const responseItem = { type: "message", role: "assistant", id: "i", content: [responsePart] };

const responses: Spelling = {
  provider: openai,
  paths: ["/v1/responses", "/v1/messages"],
  usage: (said) =>
    defined({
      input_tokens: promptOf(said),
      output_tokens: said.output,
      total_tokens: totalOf(said),
      input_tokens_details: said.cached === undefined ? undefined : { cached_tokens: said.cached },
      output_tokens_details:
        said.reasoning === undefined ? undefined : { reasoning_tokens: said.reasoning },
    }),
  stream: (first, last) => [
    {
      type: "response.created",
      response: { id: "r", object: "response", status: "in_progress", ...usageField(first) },
    },
    { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: words },
    {
      type: "response.completed",
      response: {
        id: "r",
        object: "response",
        status: "completed",
        output: [responseItem],
        ...usageField(last),
      },
    },
  ],
  whole: (usage) => ({
    id: "r",
    object: "response",
    status: "completed",
    output: [responseItem],
    ...usageField(usage),
  }),
};

export const spellings = {
  "anthropic-messages": messages,
  "gemini-generate": generate,
  "openai-chat": chat,
  "openai-responses": responses,
} as const satisfies Record<string, Spelling>;

export type SpelledFormat = keyof typeof spellings;

/** The events as bytes, with the names that Messages and Responses give them. */
export function streamOf(events: readonly Json[]): string {
  return events
    .map((event) => {
      const named = asObject(event)?.["type"];
      const lead = typeof named === "string" ? `event: ${named}\n` : "";
      return `${lead}data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`;
    })
    .join("");
}
