/**
 * What a Messages conversation has of its upstreams: signed and encrypted reasoning. Whoever did not
 * sign it refuses the whole conversation.
 */

import type { Json, JsonObject } from "#base/json.ts";
import { blocksOf } from "#formats/anthropic-messages/wire.ts";
import type { IssuedToFamily, Leaving, LeftOut } from "#formats/later-turns.ts";
import {
  allIssued,
  lastIssued,
  markOf,
  refusedSignature,
} from "#formats/shared/scan/issued-texts.ts";
import { type Losses, openLosses } from "#formats/shared/losses.ts";
import { asObject, listOf, objectOf, textOf } from "#formats/shared/read-json.ts";

/** The keys in the order in which Anthropic and its SDKs write a block; `data` alone is of media. */
const marks = [markOf("signature"), Buffer.from('"redacted_thinking","data"')];

export const issuedReader: IssuedToFamily = {
  readBy: "family",
  lastOf: (bytes) => lastIssued(bytes, marks),
  allOf: (bytes) => allIssued(bytes, marks),
  leaveOut,
  refusedAs: refusedSignature,
};

/**
 * Leaves reasoning out that the upstream cannot read. While results of tools are awaited, a turn
 * without its reasoning is only taken with reasoning turned off, until the turn is over.
 */
function leaveOut(body: JsonObject, leaving: Leaving): LeftOut {
  const losses = openLosses();
  const messages = listOf(body["messages"]).flatMap((message) =>
    leaveOfMessage(message, leaving, losses),
  );
  const isOff = !leaving.takesUnsigned && thinks(body) && isUnsignedLoop(messages.map(objectOf));
  losses.addIf(isOff, "reasoning");
  if (losses.names.length === 0) return { body, losses: [] };
  const left = { ...body, messages };
  return { body: isOff ? withoutThinking(left) : left, losses: losses.names };
}

function leaveOfMessage(given: Json, leaving: Leaving, losses: Losses): readonly Json[] {
  const message = objectOf(given);
  const { content } = message;
  if (message["role"] !== "assistant" || !Array.isArray(content)) return [given];
  const kept = content.flatMap((block: Json) => leaveOfBlock(block, leaving, losses));
  // A message that was nothing but reasoning would be refused as empty.
  return kept.length === 0 && content.length > 0 ? [] : [{ ...message, content: kept }];
}

function leaveOfBlock(given: Json, leaving: Leaving, losses: Losses): readonly Json[] {
  const block = objectOf(given);
  const isSealed = block["type"] === "redacted_thinking";
  if (!isSealed && block["type"] !== "thinking") return [given];
  const { signature, ...unsigned } = block;
  const text = textOf(isSealed ? block["data"] : signature);
  if (text === "" ? leaving.takesUnsigned : leaving.keeps(text)) return [given];
  if (isSealed || !leaving.takesUnsigned) {
    losses.add("reasoning of earlier turns");
    return [];
  }
  losses.add("signatures of earlier turns");
  return [unsigned];
}

/** Whether the request asks for reasoning. */
function thinks(body: JsonObject): boolean {
  const kind = asObject(body["thinking"])?.["type"];
  return kind === "enabled" || kind === "adaptive";
}

/** Whether the conversation ends with results of calls, and their turn begins without reasoning. */
function isUnsignedLoop(messages: readonly JsonObject[]): boolean {
  let first: JsonObject | undefined;
  for (let at = messages.length - 1; at > 0 && hasResult(messages[at]); at -= 1) {
    while (at > 0 && messages[at - 1]?.["role"] === "assistant") at -= 1;
    first = messages[at];
  }
  const [block] = blocksOf(first?.["content"]);
  const kind = block?.["type"];
  return block !== undefined && kind !== "thinking" && kind !== "redacted_thinking";
}

function hasResult(message: JsonObject | undefined): boolean {
  return blocksOf(message?.["content"]).some((block) => block["type"] === "tool_result");
}

/** Asks for no reasoning, nor for that of earlier turns to be cleared, which goes only with it. */
function withoutThinking({ thinking: _, ...body }: JsonObject): JsonObject {
  const management = asObject(body["context_management"]);
  if (management === undefined) return body;
  const edits = listOf(management["edits"]).filter(
    (edit) => !textOf(objectOf(edit)["type"]).startsWith("clear_thinking"),
  );
  const { context_management: __, ...rest } = body;
  return edits.length === 0 ? rest : { ...rest, context_management: { ...management, edits } };
}
