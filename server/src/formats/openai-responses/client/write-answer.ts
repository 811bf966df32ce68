/** Writes a Responses answer that is not streamed. */

import type { JsonObject } from "#base/json.ts";
import type { Answer } from "#canonical/answer.ts";
import type { OutputItem } from "#canonical/event.ts";
import type { Opaque } from "#canonical/request.ts";
import { textSignature } from "#formats/shared/text-signature.ts";
import type { AnsweredRequest } from "#formats/translation.ts";
import {
  openContext,
  responseIdOf,
  writeEnd,
  writeImage,
  writeItem,
  writeResponse,
  writeUsage,
} from "./write-items.ts";
import { isOutcomeAlone, writeOutcome } from "./write-outcome.ts";

export function writeAnswer(answer: Answer, asked: AnsweredRequest): JsonObject {
  const context = openContext(asked, responseIdOf(asked));
  const output: JsonObject[] = [];
  /** Writes a signature that belongs to no reasoning, as an item of its own. */
  const sign = (opaque: Opaque) => {
    const item = { type: "reasoning", text: "", opaque, isSummary: true } as const;
    const written = writeItem(item, output.length, context);
    if (written !== null) output.push(written);
  };
  // The probabilities are not told apart by message; there is one, apart from what searches say.
  const spoken = answer.items.find(isText);
  for (const item of answer.items) {
    if (item.type === "tool-call" && item.opaque !== null) sign(item.opaque);
    const logprobs = item === spoken ? answer.logprobs : [];
    const written = writeItem(item, output.length, context, logprobs);
    if (written !== null && !isBare(item)) output.push(written);
    if (item.type === "reasoning" && item.outcome !== undefined) {
      output.push(writeOutcome(item.outcome, output.length, context));
    }
    if (item.type !== "message") continue;
    const signature = textSignature(item);
    if (signature !== null) sign(signature);
    for (const part of item.parts) {
      if (part.type !== "media" || part.kind !== "image" || part.source.type !== "bytes") continue;
      output.push(writeImage(part.source.data, output.length, context));
    }
  }
  const usage = answer.usage === null ? null : writeUsage(answer.usage);
  return writeResponse(context, answer.model, {
    ...writeEnd(answer.finish),
    output,
    usage,
    error: null,
    namedTier: answer.namedTier,
  });
}

function isText(item: OutputItem): boolean {
  return item.type === "message" && item.parts.some((part) => part.type === "text");
}

/** Whether there is nothing to write of an item but what stands in items of their own. */
function isBare(item: OutputItem): boolean {
  if (item.type === "message") return item.parts.every((part) => part.type === "media");
  return item.type === "reasoning" && isOutcomeAlone(item);
}
