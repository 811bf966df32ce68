/** Writes a Responses answer that is not streamed. */

import type { JsonObject } from "#base/json.ts";
import type { Answer } from "#canonical/answer.ts";
import type { Asked } from "#formats/translation.ts";
import {
  openContext,
  responseIdOf,
  writeEnd,
  writeImage,
  writeItem,
  writeResponse,
  writeUsage,
} from "./write-items.ts";

export function writeAnswer(answer: Answer, asked: Asked): JsonObject {
  const context = openContext(asked, responseIdOf(answer.responseId, asked));
  const output: JsonObject[] = [];
  for (const item of answer.items) {
    const written = writeItem(item, output.length, context);
    const isEmpty = item.type === "message" && item.parts.every((part) => part.type === "media");
    if (written !== null && !isEmpty) output.push(written);
    if (item.type !== "message") continue;
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
  });
}
