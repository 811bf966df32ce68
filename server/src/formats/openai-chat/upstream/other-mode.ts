/** Writes whole chat completions and completions as streams, and puts such streams together. */

import type { Json, JsonObject } from "#base/json.ts";
import { asObject, listOf, numberOf, objectOf, textOf } from "#formats/shared/read-json.ts";
import {
  dataEvent,
  type Growing,
  piecesOf,
  takeFields,
} from "#formats/shared/upstream/whole-as-stream.ts";
import type { OtherMode } from "#formats/format.ts";
import { doneWord } from "#formats/openai-chat/wire.ts";

const textObject = "text_completion";

/** Fields of a message that streams send in pieces. */
const texts = ["reasoning_content", "reasoning", "content", "refusal"];

function toStream(answer: JsonObject): string {
  const { choices, usage, object, ...head } = answer;
  const isText = object === textObject;
  const base = { ...head, object: isText ? textObject : "chat.completion.chunk" };
  let written = "";
  for (const [at, each] of listOf(choices).entries()) {
    const { message, text, finish_reason = null, index = at, ...rest } = objectOf(each);
    const send = (fields: JsonObject): void => {
      written += dataEvent({ ...base, choices: [{ index, finish_reason: null, ...fields }] });
    };
    if (isText) for (const piece of piecesOf(textOf(text))) send({ text: piece });
    else for (const delta of deltasOf(objectOf(message))) send({ delta });
    send({ ...(isText ? { text: "" } : { delta: {} }), ...rest, finish_reason });
  }
  const told = asObject(usage);
  if (told !== undefined) written += dataEvent({ ...base, choices: [], usage: told });
  return `${written}data: ${doneWord}\n\n`;
}

/** Returns the pieces of a message, as streams send them. */
function deltasOf(message: JsonObject): JsonObject[] {
  const first: Growing = {};
  const later: JsonObject[] = [];
  for (const [name, value] of Object.entries(message)) {
    if (name === "tool_calls") later.push(...listOf(value).flatMap(piecesOfCall));
    else if (!texts.includes(name) || typeof value !== "string") first[name] = value;
  }
  const said = texts.flatMap((name) => {
    const value = message[name];
    return typeof value === "string" ? piecesOf(value).map((piece) => ({ [name]: piece })) : [];
  });
  return [{ role: "assistant", ...first }, ...said, ...later];
}

function piecesOfCall(each: Json, at: number): JsonObject[] {
  const call = objectOf(each);
  const index = numberOf(call["index"]) ?? at;
  const called = asObject(call["function"]);
  if (called === undefined) return [{ tool_calls: [{ ...call, index }] }];
  const [first = "", ...rest] = piecesOf(textOf(called["arguments"]));
  const head = { ...call, index, function: { ...called, arguments: first } };
  const more = rest.map((piece) => ({ index, function: { arguments: piece } }));
  return [head, ...more].map((part) => ({ tool_calls: [part] }));
}

/** What was read of a choice. */
type Choice = {
  readonly fields: Growing;
  readonly message: Growing;
  readonly logprobs: Growing;
  readonly calls: Growing[];
};

function toWhole(events: readonly JsonObject[]): JsonObject | undefined {
  const head: Growing = {};
  const choices = new Map<number, Choice>();
  for (const { choices: listed, ...fields } of events) {
    takeFields(head, fields);
    for (const each of listOf(listed)) {
      const choice = objectOf(each);
      const index = numberOf(choice["index"]) ?? 0;
      const known = choices.get(index) ?? { fields: {}, message: {}, logprobs: {}, calls: [] };
      choices.set(index, known);
      readChoice(known, choice);
    }
  }
  if (choices.size === 0) return undefined;
  const isText = head["object"] === textObject;
  const made = [...choices].map(([index, choice]) => ({ index, ...wholeChoice(choice, isText) }));
  const object = isText ? textObject : "chat.completion";
  return { ...head, object, choices: made.toSorted((one, other) => one.index - other.index) };
}

function readChoice(known: Choice, choice: JsonObject): void {
  const { delta, index: _, logprobs, message, text, ...fields } = choice;
  takeFields(known.fields, fields);
  if (text !== undefined) grow(known.fields, "text", text);
  for (const [name, value] of Object.entries(objectOf(logprobs))) grow(known.logprobs, name, value);
  for (const [name, value] of Object.entries(objectOf(delta ?? message))) {
    if (name === "tool_calls") for (const each of listOf(value)) readCall(known, objectOf(each));
    else if (texts.includes(name) || Array.isArray(value)) grow(known.message, name, value);
    else takeFields(known.message, { [name]: value });
  }
}

/** Reads the next piece of a call, which its number names, or else its id. */
function readCall({ calls }: Choice, { index, ...piece }: JsonObject): void {
  const named = numberOf(index) ?? placeOf(calls, textOf(piece["id"]));
  const at = Math.min(Math.max(named, 0), calls.length);
  const call = (calls[at] ??= {});
  const { function: called, ...fields } = piece;
  takeFields(call, fields);
  const known = asObject(call["function"]);
  const { arguments: args, ...rest } = objectOf(called);
  if (known === undefined && called === undefined) return;
  const grown: Growing = { ...known };
  takeFields(grown, rest);
  if (args !== undefined) grow(grown, "arguments", args);
  call["function"] = grown;
}

/** Returns where a call without a number stands: the last one, unless its id is another. */
function placeOf(calls: readonly Growing[], id: string): number {
  const last = calls.at(-1);
  return last === undefined || (id !== "" && last["id"] !== id) ? calls.length : calls.length - 1;
}

function grow(into: Growing, name: string, value: Json): void {
  const known = into[name];
  if (typeof known === "string" && typeof value === "string") into[name] = known + value;
  // Safe cast: a list that was made here.
  else if (Array.isArray(known) && Array.isArray(value)) (known as Json[]).push(...value);
  else if (Array.isArray(value)) into[name] = [...value];
  else takeFields(into, { [name]: value });
}

function wholeChoice({ fields, message, logprobs, calls }: Choice, isText: boolean): JsonObject {
  const { finish_reason = null, ...rest } = fields;
  const tokens = Object.keys(logprobs).length === 0 ? null : logprobs;
  if (isText) return { text: "", ...rest, logprobs: tokens, finish_reason };
  const called = calls.length === 0 ? {} : { tool_calls: calls };
  const said = { role: "assistant", content: null, ...message, ...called };
  return { ...rest, message: said, logprobs: tokens, finish_reason };
}

/** A server may answer with a stream where none was asked for, or the other way round. */
export const otherMode: OtherMode = { toStream, toWhole };
