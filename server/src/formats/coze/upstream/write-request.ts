/**
 * Writes a canonical request as a chat with one of Coze's bots; the model is the bot's id.
 * Documents: https://www.coze.cn/open/docs/developer_guides/chat_v3 (read 2026-11-23).
 */

import type { JsonObject } from "#base/json.ts";
import type { CanonicalRequest, Part } from "#canonical/request.ts";
import type { BodyRefusal } from "#formats/format.ts";
import { type Losses, openLosses } from "#formats/shared/losses.ts";
import { finishBody } from "#formats/shared/upstream/finish-body.ts";
import { fileText, isPlainFile } from "#formats/shared/upstream/media-limits.ts";
import { loseModelSettings, refuseBeyondTalk } from "#formats/shared/upstream/plain-talk.ts";
import { partsText, resultText, turnsOf } from "#formats/shared/upstream/turns.ts";
import type { Quirks, WrittenRequest } from "#formats/translation.ts";

export function writeRequest(
  request: CanonicalRequest,
  quirks: Quirks,
): BodyRefusal | WrittenRequest {
  const refused = refuseBeyondTalk(request);
  if (refused !== undefined) return refused;
  const losses = openLosses();
  loseModelSettings(request, losses);
  const fields = {
    bot_id: request.model,
    user_id: request.hints.endUser || "tollgate",
    stream: true,
    auto_save_history: false,
    additional_messages: writeMessages(request, losses),
  };
  return finishBody(fields, quirks, losses);
}

/** Bots have instructions of their own, so a system prompt is said by the user. */
function writeMessages({ items }: CanonicalRequest, losses: Losses): readonly JsonObject[] {
  return turnsOf(items, losses.addGiven).flatMap((turn): readonly JsonObject[] => {
    switch (turn.kind) {
      case "model": {
        const texts = turn.items.map((item) =>
          item.type === "message" ? partsText(item.parts) : "",
        );
        return [{ role: "assistant", content: texts.join(""), content_type: "text" }];
      }
      case "results":
        return turn.items.map((item) => ({
          role: "user",
          content: resultText(item),
          content_type: "text",
        }));
      case "message":
        return [{ role: "user", ...writeContent(turn.item.parts) }];
    }
  });
}

function writeContent(parts: readonly Part[]): JsonObject {
  const objects = parts.map((part): JsonObject => {
    if (part.type !== "media") return { type: "text", text: part.text };
    if (part.source.type === "url") return { type: "image", file_url: part.source.url };
    return { type: "text", text: isPlainFile(part) ? fileText(part) : "" };
  });
  if (objects.some(({ type }) => type === "image")) {
    return { content: JSON.stringify(objects), content_type: "object_string" };
  }
  const content = objects.map(({ text }) => (typeof text === "string" ? text : "")).join("");
  return { content, content_type: "text" };
}
