/**
 * An answer of each format of upstreams: recorded ones, and for formats that nobody has recorded,
 * one by hand. A format without a sample fails the suite.
 */

import type { Json, JsonObject } from "#base/json.ts";
import { formats } from "#formats/registry.ts";
import { openFrames } from "#formats/shared/upstream/frame-reader.ts";
import { type Recording, replay } from "#formats/testing/recordings.ts";
import { type TranslatedFormatId, translations } from "#formats/translation-registry.ts";
import { formatOf, mediaFormatOf, recordings } from "#test/recordings/played.ts";

export type AnswerSample = {
  /** The events of a stream. */
  readonly frames: readonly { readonly event: string; readonly data: string }[];
  readonly whole: Json;
};

/** How many different events of a recorded stream are taken, and how long one may be. */
const framesMax = 4;
const frameLengthMax = 4_000;
const wholeLengthMax = 8_000;

const call = { id: "c", type: "function", function: { name: "t", arguments: '{"a":1}' } };
const counts = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

const handMade: Partial<
  Readonly<Record<string, { events: readonly (readonly [string, JsonObject])[]; whole: Json }>>
> = {
  "aiproxy-library": {
    events: [
      ["message", { content: "a", model: "m" }],
      ["message", { content: "b", finish: true, documents: [{ title: "t", url: "http://a.b" }] }],
    ],
    whole: { success: true, answer: "a", documents: [{ title: "t", url: "http://a.b" }] },
  },
  "baidu-wenxin": {
    events: [
      ["message", { id: "r", result: "a", is_end: false }],
      ["message", { id: "r", result: "b", is_end: true, finish_reason: "normal", usage: counts }],
    ],
    whole: { id: "r", result: "a", finish_reason: "normal", usage: counts },
  },
  coze: {
    events: [
      [
        "conversation.message.delta",
        { chat_id: "r", type: "answer", content: "a", reasoning_content: "b" },
      ],
      [
        "conversation.chat.completed",
        { id: "r", status: "completed", usage: { input_count: 10, output_count: 5 } },
      ],
    ],
    whole: { code: 1, msg: "no" },
  },
  dify: {
    events: [
      ["message", { event: "message", answer: "a", conversation_id: "r" }],
      ["message", { event: "agent_thought", thought: "a", conversation_id: "r" }],
      ["message", { event: "message_end", metadata: { usage: counts }, conversation_id: "r" }],
    ],
    whole: { event: "message", answer: "a", metadata: { usage: counts } },
  },
  palm: {
    events: [["message", { candidates: [{ author: "1", content: "a" }], messages: [] }]],
    whole: { candidates: [{ author: "1", content: "a" }], messages: [] },
  },
  "tencent-hunyuan": {
    events: [
      ["message", { Id: "r", Choices: [{ Index: 0, Delta: { Role: "assistant", Content: "a" } }] }],
      [
        "message",
        {
          Id: "r",
          Choices: [
            {
              Index: 0,
              Delta: {
                ToolCalls: [
                  { Id: "c", Index: 0, Type: "function", Function: { Name: "t", Arguments: "{}" } },
                ],
              },
              FinishReason: "tool_calls",
            },
          ],
          Usage: { PromptTokens: 10, CompletionTokens: 5, TotalTokens: 15 },
        },
      ],
    ],
    whole: {
      Response: {
        Id: "r",
        Choices: [{ Index: 0, FinishReason: "stop", Message: { Role: "assistant", Content: "a" } }],
        Usage: { PromptTokens: 10, CompletionTokens: 5, TotalTokens: 15 },
      },
    },
  },
  "xunfei-spark": {
    events: [
      [
        "message",
        {
          header: { code: 0, sid: "r", status: 1 },
          payload: {
            choices: { text: [{ content: "a", reasoning_content: "b", tool_calls: [call] }] },
          },
        },
      ],
      [
        "message",
        {
          header: { code: 0, sid: "r", status: 2 },
          payload: { choices: { text: [{ content: "a" }] }, usage: { text: counts } },
        },
      ],
    ],
    whole: {
      header: { code: 0, sid: "r", status: 2 },
      payload: {
        choices: { text: [{ content: "a", tool_calls: [call] }] },
        usage: { text: counts },
      },
    },
  },
  "zhipu-v3": {
    events: [
      ["add", { data: "a" }],
      ["finish", { data: "b", meta: '{"task_status":"SUCCESS"}' }],
    ],
    whole: {
      success: true,
      data: { request_id: "r", task_status: "SUCCESS", choices: [{ content: "a" }], usage: counts },
    },
  },
  "gemini-live": liveSample(),
  "gemini-live-alpha": liveSample(),
  "gemini-live-vertex": liveSample(),
  "openai-realtime": {
    events: [
      ["message", { type: "response.output_text.delta", delta: "a" }],
      [
        "message",
        {
          type: "response.done",
          response: {
            output: [{ type: "message", content: [{ type: "text", text: "a" }] }],
            usage: { input_tokens: 10, output_tokens: 5 },
          },
        },
      ],
    ],
    whole: {
      type: "response.done",
      response: { output: [], usage: { input_tokens: 10, output_tokens: 5 } },
    },
  },
  rerank: {
    events: [
      ["message", { results: [{ index: 0, relevance_score: 0.5 }], usage: { total_tokens: 5 } }],
    ],
    whole: {
      results: [{ index: 0, relevance_score: 0.5, document: { text: "a" } }],
      usage: { total_tokens: 5 },
    },
  },
};

function liveSample() {
  const serverContent = { modelTurn: { parts: [{ text: "a" }] } };
  const usageMetadata = { promptTokenCount: 10, responseTokenCount: 5, totalTokenCount: 15 };
  return {
    events: [["message", { serverContent, usageMetadata }]] as const,
    whole: { serverContent, usageMetadata },
  };
}

const handMadeSample = (format: string): AnswerSample | undefined => {
  const made = handMade[format];
  return made === undefined
    ? undefined
    : {
        frames: made.events.map(([event, data]) => ({ event, data: JSON.stringify(data) })),
        whole: made.whole,
      };
};

/** How much a recorded answer has that families can multiply. */
function richness({ expected, response }: Recording): number {
  if (response.status >= 400) return -1;
  return (expected.tool_calls?.length ?? 0) * 1_000 + Object.keys({ ...expected.usage_raw }).length;
}

function richest(format: string, isStream: boolean): Recording | undefined {
  return recordings
    .filter(({ surface, expected, response }) => {
      const isOfFormat = formatOf[surface] === format || mediaFormatOf[surface] === format;
      if (!isOfFormat || expected.stream !== isStream) return false;
      return isStream || JSON.stringify(response.body ?? null).length < wholeLengthMax;
    })
    .toSorted((a, b) => richness(b) - richness(a))[0];
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === "object";
  } catch {
    return false;
  }
}

/** Returns what is told apart by its fields: of events that differ in texts alone, the first. */
function different(frames: AnswerSample["frames"]): AnswerSample["frames"] {
  const shapes = new Set<string>();
  return frames.filter(({ event, data }) => {
    if (!isJson(data) || data.length > frameLengthMax) return false;
    const shape = `${event} ${data.replaceAll(/:\s*("(?:[^"\\]|\\.)*"|[-\d.]+)/g, "").length} ${Object.keys(Object(JSON.parse(data))).join()}`;
    const isNew = !shapes.has(shape);
    shapes.add(shape);
    return isNew;
  });
}

function recordedSample(format: string): AnswerSample | undefined {
  const stream = richest(format, true);
  const whole = richest(format, false);
  if (stream === undefined && whole === undefined) return undefined;
  const framing = Object.hasOwn(translations, format)
    ? // Safe cast: the line checks it.
      translations[format as TranslatedFormatId].upstream.framing
    : "sse";
  const reader = openFrames(framing);
  const frames =
    stream === undefined ? [] : [...reader.push(replay(stream, framing)), ...reader.end()];
  return {
    frames: different(frames).slice(0, framesMax),
    // Safe cast: it was parsed from JSON.
    whole: (whole?.response.body ?? {}) as Json,
  };
}

function sampleOf(format: string): AnswerSample {
  const sample = handMadeSample(format) ?? recordedSample(format);
  if (sample === undefined) throw new Error(`no sample of an answer in the format ${format}`);
  return sample;
}

function samplesOf<Id extends string>(ids: readonly Id[]): Readonly<Record<Id, AnswerSample>> {
  // Safe cast: there is an entry for each id.
  return Object.fromEntries(ids.map((id) => [id, sampleOf(id)])) as Record<Id, AnswerSample>;
}

// Safe casts: these are the keys of the registries.
export const answerSamples = samplesOf(Object.keys(translations) as TranslatedFormatId[]);
export const scannedSamples = samplesOf(Object.keys(formats) as (keyof typeof formats)[]);
