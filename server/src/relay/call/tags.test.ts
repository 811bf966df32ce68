import { expect, test } from "bun:test";
import { scanObject } from "#base/json-scan.ts";
import { conversationSpans } from "#formats/shared/scan/conversation-spans.ts";
import { tagsOf } from "./tags.ts";

const headers = { get: () => null };
const bodyOf = (value: object): Uint8Array => new TextEncoder().encode(JSON.stringify(value));

function scan(body: Uint8Array): void {
  scanObject(body, [], { noted: conversationSpans });
}

test("a call has the tags of its own body where another one was scanned since", () => {
  const own = bodyOf({ model: "m", metadata: { job: "own" }, messages: [] });
  const other = bodyOf({ metadata: { job: "other" }, model: "m", messages: [] });
  scan(own);
  expect(tagsOf([], headers, own)).toEqual(["job:own"]);
  scan(other);
  expect(tagsOf([], headers, own)).toEqual(["job:own"]);
  expect(tagsOf([], headers, bodyOf({ model: "m" }))).toEqual([]);
  // Places in the other body are beyond the end of this one, or in the middle of a value.
  expect(tagsOf(["key"], headers, bodyOf({ metadata: { a: "1" } }))).toEqual(["key", "a:1"]);
});

test("the word in a text is no field, and a field further in is none either", () => {
  scan(bodyOf({}));
  const quoted = bodyOf({ input: '"metadata": {"job":"quoted"}' });
  expect(tagsOf([], headers, quoted)).toEqual([]);
  expect(tagsOf([], headers, bodyOf({ input: { metadata: { job: "deep" } } }))).toEqual([]);
});
