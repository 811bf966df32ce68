/** A call's conversation is found in its own body, whichever body was scanned last. */

import { expect, test } from "bun:test";
import { scanObject } from "#base/json-scan.ts";
import { conversationSpans } from "#formats/shared/scan/conversation-spans.ts";
import { conversationIn, toolNamesOf, turnOf } from "./conversation.ts";

const headers = { get: () => null };
const bodyOf = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const hi = { role: "user", content: "hi" };

function scan(body: Uint8Array): void {
  scanObject(body, [], { noted: conversationSpans });
}

function found(places: boolean, body: Uint8Array, last: Uint8Array): number {
  scan(last);
  return turnOf({ places }, headers, 7, body);
}

test("where a conversation has a place, a body that was not scanned last is scanned again", () => {
  const own = bodyOf({ model: "m", session_id: "one", messages: [hi] });
  const other = bodyOf({ session_id: "two", model: "m", messages: [hi] });
  expect(found(true, own, other)).toBe(found(true, own, own));
  expect(found(true, own, own)).not.toBe(found(true, other, other));
});

test("where it has none, a mark counts only in the body that was scanned last", () => {
  const own = bodyOf({ session_id: "one", messages: [hi] });
  const other = bodyOf({ session_id: "two", messages: [hi] });
  const plain = bodyOf({ messages: [hi, hi, hi] });
  expect(found(false, own, own)).not.toBe(0);
  // The places of the other body's mark are those of a word of the same length in this one.
  expect(found(false, own, other)).toBe(0);
  expect(found(false, plain, own)).toBe(0);
});

test("the tools of another body are not those of a call", () => {
  const calls = [{ id: "c", type: "function", function: { name: "bash", arguments: "{}" } }];
  const messages = [
    hi,
    { role: "assistant", content: null, tool_calls: calls },
    { role: "tool", tool_call_id: "c", content: "x" },
  ];
  const own = bodyOf({ session_id: "one", tools: [], messages });
  const turn = found(false, own, own);
  expect(conversationIn(turn)).toBeGreaterThan(0);
  expect(toolNamesOf(turn, own)).toBe('["bash"]');
  scan(own);
  expect(toolNamesOf(turn, own.slice())).toBe("");
  // What was found is forgotten, so that no body is kept for it.
  expect(conversationSpans.bytes).toBeNull();
});
