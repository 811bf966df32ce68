/** A stream that breaks off says what was reported until then, whatever its upstream speaks. */

import { expect, test } from "bun:test";
import type { Json } from "#base/json.ts";
import { inputOf } from "#canonical/usage.ts";
import { type TranslatedFormatId, translations } from "#formats/translation-registry.ts";
import { spellings } from "./spellings.ts";

type Begun = readonly (readonly [event: string, data: Json])[];

const unnamed = (...events: readonly Json[]): Begun => events.map((data) => ["", data] as const);
const spelled = ({ stream, usage }: (typeof spellings)[keyof typeof spellings]): Begun =>
  unnamed(...stream(usage({ fresh: 3_600, output: 1 }), null).slice(0, 2));
const chunk = (data: object): Json => ({
  bytes: Buffer.from(JSON.stringify(data)).toString("base64"),
});

/** The beginning of a stream in which 3,600 tokens of the prompt are reported. */
const begun: Partial<Record<TranslatedFormatId, Begun>> = {
  "anthropic-messages": spelled(spellings["anthropic-messages"]),
  "baidu-wenxin": unnamed({
    id: "b",
    result: "hello",
    is_end: false,
    usage: { prompt_tokens: 3_600, completion_tokens: 1, total_tokens: 3_601 },
  }),
  "bedrock-converse": [
    ["messageStart", { role: "assistant" }],
    ["metadata", { usage: { inputTokens: 3_600, outputTokens: 1, totalTokens: 3_601 } }],
    ["contentBlockDelta", { contentBlockIndex: 0, delta: { text: "hello" } }],
  ],
  "bedrock-invoke": [
    ["chunk", chunk({ generation: "hello", prompt_token_count: 3_600, generation_token_count: 1 })],
  ],
  coze: [
    ["conversation.chat.created", { id: "c", usage: { input_count: 3_600, output_count: 0 } }],
    ["conversation.message.delta", { type: "answer", content: "hello" }],
  ],
  dashscope: unnamed({
    output: { choices: [{ message: { content: "hello" }, finish_reason: "null" }] },
    usage: { input_tokens: 3_600, output_tokens: 1, total_tokens: 3_601 },
  }),
  "gemini-generate": spelled(spellings["gemini-generate"]),
  ollama: unnamed({ message: { content: "hello" }, done: false, prompt_eval_count: 3_600 }),
  "openai-chat": spelled(spellings["openai-chat"]),
  "openai-responses": spelled(spellings["openai-responses"]),
  "tencent-hunyuan": unnamed({
    Choices: [{ Delta: { Content: "hello" } }],
    Usage: { PromptTokens: 3_600, CompletionTokens: 1, TotalTokens: 3_601 },
  }),
  "xunfei-spark": unnamed({
    header: { code: 0, status: 1 },
    payload: {
      choices: { text: [{ content: "hello" }] },
      usage: { text: { prompt_tokens: 3_600, completion_tokens: 1, total_tokens: 3_601 } },
    },
  }),
};

/** Formats whose upstreams report at the end alone, in the event that ends the answer, or never. */
const atTheEnd: ReadonlySet<string> = new Set([
  "aiproxy-library",
  "cohere-v1",
  "cohere-v2",
  "dify",
  "palm",
  "zhipu-v3",
]);

/** Formats of which some models end without a word, but count tokens in each event. */
const endsBySilence: ReadonlySet<string> = new Set(["bedrock-invoke", "dashscope"]);

test("every format is played, or reports at its end alone", () => {
  const known = new Set([...Object.keys(begun), ...atTheEnd]);
  expect([...known].toSorted()).toEqual(Object.keys(translations).toSorted());
});

// Safe cast: these are the keys of the object.
for (const [format, events] of Object.entries(begun) as [TranslatedFormatId, Begun][]) {
  test(`${format}: a stream that breaks off still tells the prompt that was reported`, () => {
    const reader = translations[format].upstream.openReader("seed");
    const read = events.flatMap(([event, data]) => reader.read(event, JSON.stringify(data)));
    read.push(...reader.end());

    const usage = read.find((event) => event.type === "usage");
    expect(usage?.report.kind === "ok" ? inputOf(usage.report.usage) : 0).toBe(3_600);
    expect(read.at(-1)?.type).toBe(endsBySilence.has(format) ? "finish" : "fault");
    expect(read.filter(({ type }) => type === "usage")).toHaveLength(1);
  });
}
