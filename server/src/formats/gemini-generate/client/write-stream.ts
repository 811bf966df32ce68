/** Writes a streamed generateContent answer: every event is an object with the new parts. */

import type { JsonObject } from "#base/json.ts";
import type { ServedTier } from "@tollgate/contract/money/service-tiers.ts";
import type { CanonicalEvent, TokenLogprob } from "#canonical/event.ts";
import type { TextPart } from "#canonical/request.ts";
import { writeMedia } from "#formats/gemini-generate/wire.ts";
import type { AnsweredRequest, StreamWriter } from "#formats/translation.ts";
import { writeGeminiLogprobs } from "#formats/shared/logprobs/gemini-logprobs.ts";
import { writeServedGemini } from "#formats/shared/tiers/service-tiers.ts";
import { queriesIn, textsIn, writeGrounding } from "./write-grounding.ts";
import { errorBody } from "#formats/shared/errors/gemini-error.ts";
import { finishWord, writeCall, writeOutcome, writeSignature, writeUsage } from "./write-answer.ts";

type Writing = {
  responseId: string;
  model: string;
  usage: JsonObject;
  /** The field of the usage that names the service tier. */
  tier: JsonObject;
  /** Texts that have ended, with their sources. */
  readonly texts: TextPart[];
  /** What a tool of another provider has searched for. */
  readonly queries: string[];
  readonly logprobs: TokenLogprob[];
};

export function openStreamWriter(asked: AnsweredRequest): StreamWriter {
  const writing: Writing = {
    responseId: asked.responseId,
    model: asked.model,
    usage: { promptTokenCount: asked.promptTokens, totalTokenCount: asked.promptTokens },
    tier: {},
    texts: [],
    queries: [],
    logprobs: [],
  };
  return {
    write: (event) => write(writing, event),
    fail: (error) => `data: ${errorBody(error)}\n\n`,
  };
}

/** Makes one event of the candidate's fields. */
function frame(writing: Writing, parts: readonly JsonObject[], fields: JsonObject = {}): string {
  const { responseId, model, usage, tier } = writing;
  const candidate = { content: { parts, role: "model" }, ...fields, index: 0 };
  const usageMetadata = { ...usage, ...tier };
  const whole = { candidates: [candidate], usageMetadata, modelVersion: model, responseId };
  return `data: ${JSON.stringify(whole)}\n\n`;
}

function write(writing: Writing, event: CanonicalEvent): string {
  switch (event.type) {
    case "start":
      writing.responseId = event.responseId || writing.responseId;
      writing.model = event.model || writing.model;
      name(writing, event.namedTier ?? "");
      return "";
    case "text":
    case "refusal":
      return frame(writing, [{ text: event.text }]);
    case "reasoning":
      return frame(writing, [{ text: event.text, thought: true }]);
    case "logprobs":
      for (const token of event.tokens) writing.logprobs.push(token);
      return "";
    case "media": {
      const part = writeMedia(event.part);
      return part === undefined ? "" : frame(writing, [part]);
    }
    case "item-end":
      for (const text of textsIn(event.item)) writing.texts.push(text);
      for (const query of queriesIn(event.item)) writing.queries.push(query);
      return endItem(writing, event.item);
    case "usage":
      if (event.usage !== null) writing.usage = writeUsage(event.usage);
      name(writing, event.namedTier ?? event.tier);
      return "";
    case "finish": {
      const finishReason = finishWord(event.finish.reason);
      return frame(writing, [{ text: "" }], {
        finishReason,
        ...writeGrounding(writing.texts, writing.queries),
        ...writeGeminiLogprobs(writing.logprobs),
      });
    }
    default:
      return "";
  }
}

/** Notes which service tier the upstream has named. */
function name(writing: Writing, tier: ServedTier): void {
  if (tier !== "") writing.tier = writeServedGemini(tier);
}

/** Calls come whole, and signatures after the text that they belong to. */
function endItem(
  writing: Writing,
  item: Extract<CanonicalEvent, { type: "item-end" }>["item"],
): string {
  switch (item.type) {
    case "tool-call":
      return frame(writing, [writeCall(item)]);
    case "reasoning":
      if (item.opaque === null) return "";
      return frame(writing, [
        { text: "", thought: true, ...writeSignature(item.opaque) },
        ...writeOutcome(item),
      ]);
    case "message": {
      const signed = item.parts.find((part) => part.type === "text" && part.opaque !== null);
      if (signed?.type !== "text") return "";
      return frame(writing, [{ text: "", ...writeSignature(signed.opaque) }]);
    }
  }
}
