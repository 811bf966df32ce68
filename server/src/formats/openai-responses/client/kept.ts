/**
 * Answers that the gateway itself keeps, so that later requests continue them by their id at any
 * upstream, and clients read them again.
 */

import type { Json, JsonObject } from "#base/json.ts";
import { readBoolean, readString, scanObject } from "#base/json-scan.ts";
import type { KeptReader } from "#formats/later-turns.ts";
import { listOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import { ownIdPrefix } from "#formats/openai-responses/wire.ts";
import { findAnswer } from "./answer-object.ts";
import { withoutId } from "./issued.ts";

const continued = "previous_response_id";

export const keptReader: KeptReader = {
  field: continued,
  continued(bytes, { spans }) {
    const span = spans.get(continued);
    return span === undefined ? "" : (readString(bytes, span) ?? "");
  },
  isOwnId: (id) => id.startsWith(ownIdPrefix),
  mayKeep(bytes) {
    const store = scanObject(bytes, ["store"]).values.get("store");
    return store === undefined || readBoolean(bytes, store) !== false;
  },
  join(body, { input, answer }) {
    const { [continued]: _, ...rest } = body;
    const said = listOf(answer["output"]).map(objectOf).filter(isReadable).map(withoutId);
    return { ...rest, input: [...itemsOf(input), ...said, ...itemsOf(body["input"])] };
  },
  toKeep(request, { spans }, answer, isStream) {
    const input = spans.get("input");
    const found = findAnswer(answer, isStream);
    if (input === undefined || found === undefined || found.id === "") return undefined;
    return {
      id: found.id,
      isKeptUpstream: found.store === true,
      input: request.slice(input.start, input.end),
      answer: answer.slice(found.start, found.end),
    };
  },
  listInput: (id, input) =>
    itemsOf(input).map((item, index) => ({
      ...item,
      id: textOf(item["id"]) || `msg_${id.replace(/^[a-z]+_/, "")}_in_${index}`,
    })),
};

/** Returns an input as items: a text is one message. */
function itemsOf(input: Json | undefined): readonly JsonObject[] {
  if (typeof input !== "string") return listOf(input).map(objectOf);
  const content = [{ type: "input_text", text: input }];
  return [{ type: "message", role: "user", content }];
}

/** Whether an item can be sent back: of reasoning, its id alone says nothing to another upstream. */
function isReadable(item: JsonObject): boolean {
  return item["type"] !== "reasoning" || typeof item["encrypted_content"] === "string";
}
