/** Writes a generateContent answer that is not streamed. */

import type { JsonObject } from "#base/json.ts";
import type { Answer } from "#canonical/answer.ts";
import type { EndReason, OutputItem } from "#canonical/event.ts";
import type { Opaque, ReasoningItem } from "#canonical/request.ts";
import { inputOf, type Usage } from "#canonical/usage.ts";
import { nativeIssuer, writeMedia } from "#formats/gemini-generate/wire.ts";
import { writeGeminiLogprobs } from "#formats/shared/logprobs/gemini-logprobs.ts";
import { wrapOpaque } from "#formats/shared/opaque-text.ts";
import { writeServedGemini } from "#formats/shared/tiers/service-tiers.ts";
import { argsObject } from "#formats/shared/tool-args.ts";
import type { AnsweredRequest } from "#formats/translation.ts";
import { queriesIn, textsIn, writeGrounding } from "./write-grounding.ts";

export function writeAnswer(answer: Answer, asked: AnsweredRequest): JsonObject {
  const parts = answer.items.flatMap(writeParts);
  const counts = answer.usage === null ? {} : writeUsage(answer.usage);
  const usageMetadata = { ...counts, ...writeServedGemini(answer.namedTier) };
  return {
    candidates: [
      {
        content: { parts: parts.length === 0 ? [{ text: "" }] : parts, role: "model" },
        finishReason: finishWord(answer.finish?.reason ?? "complete"),
        index: 0,
        ...writeGrounding(answer.items.flatMap(textsIn), answer.items.flatMap(queriesIn)),
        ...writeGeminiLogprobs(answer.logprobs),
      },
    ],
    ...(Object.keys(usageMetadata).length === 0 ? {} : { usageMetadata }),
    modelVersion: answer.model || asked.model,
    responseId: answer.responseId || asked.responseId,
  };
}

function writeParts(item: OutputItem): readonly JsonObject[] {
  switch (item.type) {
    case "reasoning":
      if (item.text === "" && item.opaque === null) return [];
      return [
        { text: item.text, thought: true, ...writeSignature(item.opaque) },
        ...writeOutcome(item),
      ];
    case "tool-call":
      return [writeCall(item)];
    case "message":
      return item.parts.flatMap((part): readonly JsonObject[] => {
        if (part.type === "media") {
          const written = writeMedia(part);
          return written === undefined ? [] : [written];
        }
        const signature = part.type === "text" ? writeSignature(part.opaque) : {};
        return [{ text: part.text, ...signature }];
      });
  }
}

/** Writes code that another provider ran. Its searches are told as sources of the text. */
export function writeOutcome({ outcome }: ReasoningItem): readonly JsonObject[] {
  if (outcome?.type !== "code-execution") return [];
  const { code, failed, output } = outcome;
  const word = failed ? "OUTCOME_FAILED" : "OUTCOME_OK";
  return [
    { executableCode: { language: "PYTHON", code } },
    { codeExecutionResult: { outcome: word, output } },
  ];
}

export function writeCall(item: Extract<OutputItem, { type: "tool-call" }>): JsonObject {
  const { callId: id, name, opaque } = item;
  return { functionCall: { id, name, args: argsObject(item) }, ...writeSignature(opaque) };
}

/** Values of Google itself stay as they are; all others are marked with their issuer. */
export function writeSignature(opaque: Opaque | null): JsonObject {
  if (opaque === null) return {};
  const isOwn = opaque.issuer === nativeIssuer && opaque.kind !== "item";
  return { thoughtSignature: isOwn ? opaque.value : wrapOpaque(opaque) };
}

/** Writes the usage: thoughts are not part of the candidates' tokens, the cache is of the prompt's. */
export function writeUsage(usage: Usage): JsonObject {
  const prompt = inputOf(usage);
  const candidates = usage.output + usage.outputAudio + usage.outputImage;
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: candidates,
    totalTokenCount: prompt + candidates + usage.reasoning,
    ...(usage.cacheRead > 0 ? { cachedContentTokenCount: usage.cacheRead } : {}),
    ...(usage.reasoning > 0 ? { thoughtsTokenCount: usage.reasoning } : {}),
  };
}

const finishWords: Readonly<Record<EndReason, string>> = {
  complete: "STOP",
  "context-full": "MAX_TOKENS",
  length: "MAX_TOKENS",
  other: "STOP",
  paused: "STOP",
  refused: "SAFETY",
  "stop-sequence": "STOP",
  "tool-call": "STOP",
};

export function finishWord(reason: EndReason): string {
  return finishWords[reason];
}
