/** Clients of every format that has a word for it are told which service tier served an answer. */

import { expect, test } from "bun:test";
import type { Json, JsonObject } from "#base/json.ts";
import { foldAnswer } from "#canonical/answer.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import { type TranslatedFormatId, translations } from "#formats/translation-registry.ts";
import { asked } from "./next-turn.ts";
import { type TranslatedClientId, translatedClientIds } from "./played.ts";

type Words = { readonly tier: string; readonly speed?: string };

/** How an upstream names a tier in a whole answer, and in the events of a stream. */
const upstreams = {
  "openai-chat": ({ tier }: Words) => {
    const choice = { index: 0, message: { content: "hi" }, finish_reason: "stop" };
    const chunk = { id: "c", service_tier: tier };
    return {
      whole: { ...chunk, choices: [choice] },
      events: [
        { ...chunk, choices: [{ index: 0, delta: { content: "hi" }, finish_reason: null }] },
        { ...chunk, choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      ],
    };
  },
  "openai-responses": ({ tier }: Words) => {
    const content = [{ type: "output_text", text: "hi" }];
    const output = [{ type: "message", role: "assistant", content }];
    const whole = { id: "resp_1", object: "response", status: "completed", output };
    const begun = { ...whole, status: "in_progress", output: [], service_tier: "auto" };
    return {
      whole: { ...whole, service_tier: tier },
      events: [
        { type: "response.created", response: begun },
        { type: "response.completed", response: { ...whole, service_tier: tier } },
      ],
    };
  },
  "anthropic-messages": ({ tier, speed }: Words) => {
    const usage = { input_tokens: 1, output_tokens: 1, service_tier: tier, speed: speed ?? null };
    const message = { id: "msg_1", type: "message", role: "assistant", model: "m", usage };
    const text = { type: "text", text: "hi" };
    return {
      whole: { ...message, content: [text], stop_reason: "end_turn" },
      events: [
        { type: "message_start", message: { ...message, content: [] } },
        { type: "content_block_start", index: 0, content_block: text },
        { type: "content_block_stop", index: 0 },
        { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
        { type: "message_stop" },
      ],
    };
  },
  "gemini-generate": ({ tier }: Words) => {
    const named = tier.startsWith("ON_") ? { trafficType: tier } : { serviceTier: tier };
    const usageMetadata = { promptTokenCount: 1, candidatesTokenCount: 1, ...named };
    const candidate = { content: { parts: [{ text: "hi" }] }, finishReason: "STOP", index: 0 };
    const whole = { candidates: [candidate], usageMetadata };
    return { whole, events: [whole] };
  },
} as const satisfies Partial<
  Record<TranslatedFormatId, (words: Words) => { whole: JsonObject; events: readonly Json[] }>
>;

type Upstream = keyof typeof upstreams;

function streamOf(upstream: Upstream, words: Words): CanonicalEvent[] {
  const reader = translations[upstream].upstream.openReader("seed");
  const { events } = upstreams[upstream](words);
  return [
    ...events.flatMap((event) => reader.read("message", JSON.stringify(event))),
    ...reader.end(),
  ];
}

/** The last tier and speed that a client's answer names, whole or streamed. */
function told(text: string): string {
  const named = [...text.matchAll(/"(?:service_tier|serviceTier|speed)":"(\w+)"/g)];
  return named.at(-1)?.[1] ?? "";
}

function toldWhole(client: TranslatedClientId, upstream: Upstream, words: Words): string {
  const answer = foldAnswer(
    translations[upstream].upstream.readAnswer(upstreams[upstream](words).whole, "seed"),
  );
  return told(JSON.stringify(translations[client].client.writeAnswer(answer, asked)));
}

function toldStreamed(client: TranslatedClientId, upstream: Upstream, words: Words): string {
  const writer = translations[client].client.openStreamWriter(asked);
  return told(streamOf(upstream, words).map(writer.write).join(""));
}

/** What each client is told of a tier; no word: the format has none. */
const clientWords: Readonly<Record<string, Readonly<Record<TranslatedClientId, string>>>> = {
  default: words("default", "default", "standard", "standard"),
  priority: words("priority", "priority", "priority", "priority"),
  flex: words("flex", "flex", "", "flex"),
  scale: words("scale", "scale", "", ""),
  fast: words("", "auto", "fast", ""),
  // `auto` is what the request asked for, which a Responses answer repeats.
  none: words("", "auto", "", ""),
};

function words(chat: string, responses: string, messages: string, gemini: string) {
  return {
    "openai-chat": chat,
    "openai-responses": responses,
    "anthropic-messages": messages,
    "gemini-generate": gemini,
  };
}

const cases: readonly [Upstream, Words, keyof typeof clientWords][] = [
  ["openai-chat", { tier: "default" }, "default"],
  ["openai-chat", { tier: "priority" }, "priority"],
  ["openai-chat", { tier: "flex" }, "flex"],
  ["openai-chat", { tier: "scale" }, "scale"],
  ["openai-chat", { tier: "on_demand" }, "default"],
  ["openai-chat", { tier: "surprising" }, "none"],
  ["openai-responses", { tier: "default" }, "default"],
  ["openai-responses", { tier: "priority" }, "priority"],
  ["anthropic-messages", { tier: "standard" }, "default"],
  ["anthropic-messages", { tier: "priority" }, "priority"],
  ["anthropic-messages", { tier: "standard", speed: "fast" }, "fast"],
  ["anthropic-messages", { tier: "batch" }, "none"],
  ["gemini-generate", { tier: "standard" }, "default"],
  ["gemini-generate", { tier: "flex" }, "flex"],
  ["gemini-generate", { tier: "ON_DEMAND" }, "default"],
  ["gemini-generate", { tier: "ON_DEMAND_FLEX" }, "flex"],
  ["gemini-generate", { tier: "ON_DEMAND_PRIORITY" }, "priority"],
];

for (const [upstream, said, meaning] of cases) {
  for (const client of translatedClientIds) {
    const { tier, speed = "" } = said;
    const word = clientWords[meaning]?.[client] ?? "";

    test(`a client of ${client} is told by which tier ${upstream} served it: ${tier} ${speed}`, () => {
      expect(toldWhole(client, upstream, said)).toBe(word);
    });

    // The tier of a Messages stream stands at its beginning, when Responses has not named it yet.
    const isLate = client === "anthropic-messages" && upstream === "openai-responses";
    test(`a stream of ${client} says by which tier ${upstream} served it: ${tier} ${speed}`, () => {
      expect(toldStreamed(client, upstream, said)).toBe(isLate ? "" : word);
    });
  }
}

test("each chunk of a chat stream names the tier that the upstream named at its beginning", () => {
  const writer = translations["openai-chat"].client.openStreamWriter(asked);
  const events = streamOf("openai-chat", { tier: "priority" });
  const chunks =
    events
      .map(writer.write)
      .join("")
      .match(/^data: \{.*$/gm) ?? [];

  expect(chunks.length).toBeGreaterThan(2);
  for (const chunk of chunks) expect(chunk).toContain('"service_tier":"priority"');
});

test("a tier that only the last part of an answer names is told", () => {
  const { whole } = upstreams["gemini-generate"]({ tier: "flex" });
  const first = { candidates: [{ content: { parts: [{ text: "hi" }] }, index: 0 }] };
  const { upstream } = translations["gemini-generate"];
  const answer = foldAnswer(upstream.readAnswer([first, whole], "seed"));

  expect(told(JSON.stringify(translations["openai-chat"].client.writeAnswer(answer, asked)))).toBe(
    "flex",
  );
});

test("the words with which clients are told a tier do not change what a call is charged for", () => {
  // Only the speed says that a call which asked for it got none; a tier stands in every answer.
  const usage = streamOf("anthropic-messages", { tier: "standard" }).find(
    (event) => event.type === "usage",
  );

  expect(usage?.tier).toBe("");
});
