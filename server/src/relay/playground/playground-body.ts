/**
 * Turns a playground request into one that upstreams accept. The playground's page adds the group
 * to charge, fields of its own to messages, and an output limit of 0 for "no limit". Upstreams
 * refuse fields that they do not know, so these are removed; every other byte stays.
 */

import {
  type Cursor,
  enterArray,
  enterObject,
  keyIs,
  newCursor,
  nextElement,
  nextKey,
  openBrace,
  openBracket,
  setCursor,
  skipValue,
} from "#base/json-cursor.ts";
import { readNumber, readString, scanObject, type Span } from "#base/json-scan.ts";
import type { RequestFields } from "#formats/format.ts";
import { bodyRefused, modelRequired } from "#relay/call/refusals.ts";

type PlaygroundBody = {
  /** The group whose price is charged. Empty: the user's own group. */
  readonly group: string;
  /** The model to call. Empty: the body is not a JSON object. */
  readonly model: string;
  /** The body with the playground's own fields removed. */
  readonly bytes: Uint8Array;
};

/** A range of bytes to remove: [start, end). */
type Cut = { readonly start: number; readonly end: number };

/** Fields that one-api compatible consoles add to messages. */
const messageFields = ["id", "createAt", "status"];

/**
 * Reads group and model, and removes what upstreams would refuse. A body that is not a JSON object
 * is returned unchanged, because the relay then refuses it with its own message.
 *
 * @throws CallRefusal 400.
 */
export function readPlaygroundBody(bytes: Uint8Array, fields: RequestFields): PlaygroundBody {
  const limitKeys = fields.outputLimits;
  const { values, doubled, errorAt } = scanObject(bytes, ["group", "model", ...limitKeys]);
  if (errorAt >= 0) return { group: "", model: "", bytes };
  const [twice] = doubled;
  if (twice !== undefined) {
    throw bodyRefused("invalid_request", twice, `field ${twice} occurs more than once`);
  }
  const group = readText(bytes, values.get("group"), "group");
  const model = readText(bytes, values.get("model"), "model");
  if (model === "") throw modelRequired();
  const noLimits = limitKeys.filter((key) => {
    const span = values.get(key);
    return span !== undefined && readNumber(bytes, span) === 0;
  });
  const cuts = findCuts(bytes, ["group", ...noLimits], fields.messages);
  return { group, model, bytes: withoutCuts(bytes, cuts) };
}

/**
 * Reads a field that must be a string. Empty: the field is absent or null.
 *
 * @throws CallRefusal 400.
 */
function readText(bytes: Uint8Array, span: Span | undefined, name: string): string {
  if (span === undefined || span.kind === "null") return "";
  const text = readString(bytes, span);
  if (text === undefined) throw bodyRefused("invalid_request", name, `${name} is invalid`);
  return text;
}

/**
 * Finds the bytes to remove from a body.
 *
 * @param names members of the body to remove.
 * @param messages name of the message list, whose elements lose `messageFields`.
 */
function findCuts(bytes: Uint8Array, names: readonly string[], messages: string): readonly Cut[] {
  const cursor = newCursor();
  setCursor(cursor, bytes, 0, bytes.length);
  const cuts: Cut[] = [];
  cutMembers(cursor, names, cuts, () => {
    if (!keyIs(cursor, messages) || bytes[cursor.at] !== openBracket) return skipValue(cursor);
    for (let more = enterArray(cursor); more; more = nextElement(cursor)) {
      if (bytes[cursor.at] === openBrace) {
        cutMembers(cursor, messageFields, cuts, () => skipValue(cursor));
      } else skipValue(cursor);
    }
  });
  return cuts;
}

/**
 * Moves the cursor past the object it stands at, and adds the members with these names to `cuts`,
 * each with the comma that belongs to it. `pass` moves the cursor past the value of any other
 * member.
 */
function cutMembers(cursor: Cursor, names: readonly string[], cuts: Cut[], pass: () => void): void {
  let isKept = false;
  let previousEnd = 0;
  /**
   * Where a cut begins whose end will be the beginning of the next member; below 0: no cut is open.
   */
  let open = -1;
  for (let more = enterObject(cursor); more; more = nextKey(cursor)) {
    const start = cursor.keyStart - 1;
    if (open >= 0) cuts.push({ start: open, end: start });
    open = -1;
    if (names.some((name) => keyIs(cursor, name))) {
      skipValue(cursor);
      if (isKept) cuts.push({ start: previousEnd, end: cursor.at });
      else open = start;
    } else {
      pass();
      isKept = true;
    }
    previousEnd = cursor.at;
  }
  if (open >= 0) cuts.push({ start: open, end: previousEnd });
}

function withoutCuts(bytes: Uint8Array, cuts: readonly Cut[]): Uint8Array {
  if (cuts.length === 0) return bytes;
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const { start, end } of cuts.toSorted((a, b) => a.start - b.start)) {
    pieces.push(bytes.subarray(from, start));
    from = end;
  }
  return Buffer.concat([...pieces, bytes.subarray(from)]);
}
