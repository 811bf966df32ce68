/** What a request for a response names of all that OpenAI keeps, and what an answer gives. */

import { readString } from "#base/json-scan.ts";
import {
  type Cursor,
  enterArray,
  enterObject,
  keyIs,
  newCursor,
  nextElement,
  nextKey,
  openBrace,
  quote,
  setCursor,
  skipValue,
} from "#base/json-cursor.ts";
import { watchedKeys } from "#base/json/watched-keys.ts";
import type { NamesReader } from "#formats/later-turns.ts";
import { namedRules, namingKeys } from "#formats/shared/named/named-ids.ts";
import {
  isUnder,
  keyList,
  type ObjectView,
  says,
  textsUnder,
  walkObjects,
} from "#formats/shared/named/walk-objects.ts";
import { findAnswer } from "./answer-object.ts";

const continued = "previous_response_id";

const ownKeys = [
  "approval_request_id",
  "container",
  "container_id",
  "content",
  "conversation",
  "encrypted_content",
  "environment",
  "id",
  "input",
  continued,
  "prompt",
];

export const responsesWatched = watchedKeys(
  namingKeys([
    "approval_request_id",
    "container",
    "container_id",
    "conversation",
    "id",
    continued,
    "prompt",
  ]),
);

const rules = namedRules({
  keys: ownKeys,
  toolData: ["results"],
  read(object, found) {
    const isItem = isUnder(object, "input");
    for (const { key } of object.members) {
      if (isItem && (key === "id" || key === "approval_request_id")) continue;
      readMember(object, key, found);
    }
    if (isItem) readItemIds(object, found);
  },
});

type Found = Parameters<(typeof rules)["read"]>[1];

function give(found: Found, field: string, texts: readonly string[], isEcho = false): void {
  for (const text of texts) if (text !== "") found.given.push({ text, field, isEcho });
}

function readMember(object: ObjectView, key: string, found: Found): void {
  const isBody = object.place === null;
  switch (key) {
    case continued:
      if (isBody) give(found, continued, textsUnder(object, continued));
      else if (says(object, key)) found.foreign ||= continued;
      return;
    // Prompts are written by whoever owns the account, not by users.
    case "conversation":
    case "prompt":
      if (isBody && says(object, key)) found.foreign ||= key;
      return;
    case "container":
      give(found, key, textsUnder(object, key));
      return;
    case "container_id":
      give(found, key, textsUnder(object, key), isOfEcho(object));
      return;
    default:
  }
}

/** Whether the object is the copy of an earlier call of a tool, or says where that call ran. */
function isOfEcho(object: ObjectView): boolean {
  if (isUnder(object, "input", "environment")) return true;
  return isUnder(object, "input") && isEchoed(object);
}

function isEchoed(item: ObjectView): boolean {
  const types = textsUnder(item, "type");
  return types.length > 0 && !types.includes("item_reference");
}

function readItemIds(object: ObjectView, found: Found): void {
  give(found, "input[].approval_request_id", textsUnder(object, "approval_request_id"));
  if (isWhole(object)) return;
  const isEcho = isEchoed(object);
  const ids = textsUnder(object, "id").filter((id) => !ownItem.test(id));
  give(found, isEcho ? "input[].id" : "item_reference", ids, isEcho);
}

/** The ids of items in answers that the gateway wrote itself. No upstream knows them. */
const ownItem = /^[a-z]+_tollgate_/;

/** Items that have all that the model reads, so that an upstream does not look for them by their ids. */
const wholeTypes: ReadonlySet<string> = new Set([
  "apply_patch_call_output",
  "compaction",
  "computer_call_output",
  "context_compaction",
  "custom_tool_call",
  "custom_tool_call_output",
  "function_call",
  "function_call_output",
  "local_shell_call_output",
  "mcp_approval_response",
  "message",
  "shell_call_output",
]);

function isWhole(item: ObjectView): boolean {
  const types = textsUnder(item, "type");
  if (types.length === 0) return says(item, "content");
  return types.every((type) =>
    type === "reasoning" ? isSealed(item) : wholeTypes.has(type) && isFull(type, item),
  );
}

function isFull(type: string, item: ObjectView): boolean {
  return type !== "message" || says(item, "content");
}

/** Whether reasoning stands in the item itself, encrypted. */
function isSealed(item: ObjectView): boolean {
  const sealed = textsUnder(item, "encrypted_content");
  return sealed.length > 0 && sealed.every((text) => text !== "");
}

/** The largest number of ids of one answer. */
const givenMax = 500;

export const responsesNames: NamesReader = {
  rules,
  givenIn(bytes, isStream) {
    const answer = findAnswer(bytes, isStream);
    return answer === undefined ? [] : givenBy(bytes, answer);
  },
  isId: (_, isCut) => isCut,
};

type Answer = NonNullable<ReturnType<typeof findAnswer>>;

/** One item of an answer, as far as it is read. */
type Item = { id: string; type: string; container: string; isSealed: boolean; start: number };

const item: Item = { id: "", type: "", container: "", isSealed: false, start: 0 };

function givenBy(bytes: Uint8Array, { id, output, store }: Answer): readonly string[] {
  const isStored = store !== false;
  const given: string[] = isStored && id !== "" ? [id] : [];
  if (output?.kind !== "array") return given;
  setCursor(cursor, bytes, output.start, output.end);
  for (let more = enterArray(cursor); more; more = nextElement(cursor)) {
    if (given.length >= givenMax || bytes[cursor.at] !== openBrace) skipValue(cursor);
    else addGiven(cursor, isStored, given);
  }
  return given;
}

const cursor = newCursor();

/** Items that later requests name only where the upstream keeps them. */
const mostTypes: ReadonlySet<string> = new Set(["custom_tool_call", "function_call", "message"]);

const containerKeys = keyList(["container_id", "environment"], []);

/** Adds what the item at the cursor gives, and moves past it. */
function addGiven(c: Cursor, isStored: boolean, given: string[]): void {
  readItem(c);
  const { container, id, isSealed, start, type } = item;
  const isNamed = isStored || !(mostTypes.has(type) || isSealed);
  if (id !== "" && isNamed) given.push(id);
  if (container !== "") given.push(container);
  if (!type.startsWith("shell")) return;
  const own = c.bytes.subarray(start, c.at);
  walkObjects(own, containerKeys, (object) => {
    // Deeper down, the model may have written it.
    if (isUnder(object, "environment")) given.push(...textsUnder(object, "container_id"));
  });
}

function readItem(c: Cursor): void {
  item.id = "";
  item.type = "";
  item.container = "";
  item.isSealed = false;
  item.start = c.at;
  for (let more = enterObject(c); more; more = nextKey(c)) {
    const start = c.at;
    const [isId, isType] = [keyIs(c, "id"), keyIs(c, "type")];
    const [isContainer, isSecret] = [keyIs(c, "container_id"), keyIs(c, "encrypted_content")];
    skipValue(c);
    if (c.bytes[start] !== quote) continue;
    if (isSecret) item.isSealed = c.at - start > 2;
    else if (isId) item.id = textAt(c, start);
    else if (isType) item.type = textAt(c, start);
    else if (isContainer) item.container = textAt(c, start);
  }
}

function textAt({ at, bytes }: Cursor, start: number): string {
  return readString(bytes, { start, end: at, kind: "string" }) ?? "";
}
