/**
 * What a Responses conversation has of its upstream: the id of a response that the upstream keeps,
 * and encrypted reasoning. Both are read by the account that issued them and by nobody else.
 */

import type { JsonObject } from "#base/json.ts";
import { readString } from "#base/json-scan.ts";
import type { IssuedToAccount, LeftOut } from "#formats/later-turns.ts";
import { lastIssued, markOf } from "#formats/shared/scan/issued-texts.ts";
import { listOf, objectOf } from "#formats/shared/read-json.ts";

const continued = "previous_response_id";
const sealedKey = "encrypted_content";
const sealedMarks = [markOf(sealedKey)];

/** The longest id that is looked up, in characters; OpenAI's have about 70. */
const idLengthMax = 256;

export const issuedReader: IssuedToAccount = {
  readBy: "account",
  ofRequest(bytes, { spans }) {
    const span = spans.get(continued);
    const id = span === undefined ? "" : (readString(bytes, span) ?? "");
    if (id !== "" && id.length <= idLengthMax) {
      return { text: id, field: continued, isOptional: false };
    }
    const sealed = lastIssued(bytes, sealedMarks);
    return sealed === "" ? undefined : { text: sealed, field: sealedKey, isOptional: true };
  },
  ofAnswer(bytes) {
    const sealed = lastIssued(bytes, sealedMarks);
    return sealed === "" ? [] : [sealed];
  },
  leaveOut,
  refusedAs: /^invalid_encrypted_content\b/,
};

/** Items that have nothing but what the upstream has sealed: without them turns would be missing. */
const wholeTurns: ReadonlySet<unknown> = new Set(["compaction", "context_compaction"]);

/**
 * Leaves the reasoning out, and the ids of the other items, by which an upstream would look for the
 * reasoning that belongs to them.
 */
function leaveOut(body: JsonObject): LeftOut | undefined {
  if (typeof body[continued] === "string") return undefined;
  const items = listOf(body["input"]).map(objectOf);
  if (items.some((item) => wholeTurns.has(item["type"]))) return undefined;
  const input = items.filter((item) => item["type"] !== "reasoning").map(withoutId);
  return { body: { ...body, input }, losses: ["reasoning of earlier turns"] };
}

/** Items whose ids are not needed: the client has the whole item. */
const withOptionalIds: ReadonlySet<unknown> = new Set([
  undefined,
  "custom_tool_call",
  "function_call",
  "message",
]);

/** Removes the id by which an upstream would look for what it keeps of the item. */
export function withoutId(item: JsonObject): JsonObject {
  if (!withOptionalIds.has(item["type"])) return item;
  const { id: _, ...rest } = item;
  return rest;
}
