/** What upstreams are sent of conversations in which several calls of tools have one id. */

import { expect, test } from "bun:test";
import {
  type CanonicalRequest,
  defaultSampling,
  type Item,
  noHints,
  textPart,
} from "#canonical/request.ts";
import { type TranslatedFormatId, translations } from "./translation-registry.ts";

const call = (name: string, argsText = "{}"): Item => {
  return {
    type: "tool-call",
    callId: "same",
    name,
    argsText,
    form: "json",
    opaque: null,
    cache: null,
  };
};
const result = (text: string): Item => {
  const parts = [textPart(text)];
  return { type: "tool-result", callId: "same", name: "", parts, failed: false, cache: null };
};
const hello: Item = { type: "message", role: "user", parts: [textPart("hi")] };

function requestOf(items: readonly Item[]): CanonicalRequest {
  return {
    model: "m",
    items: [hello, ...items],
    tools: [],
    toolChoice: null,
    parallelToolCalls: null,
    limits: { maxOutputTokens: null, stopSequences: [], count: 1 },
    sampling: defaultSampling,
    reasoning: null,
    output: null,
    media: null,
    hints: noHints,
    stream: false,
  };
}

function write(id: TranslatedFormatId, items: readonly Item[]): string {
  const written = translations[id].upstream.writeRequest(requestOf(items), {});
  return "message" in written ? "" : JSON.stringify(written.body);
}

// Safe cast: these are the keys of the table.
const ids = Object.keys(translations) as TranslatedFormatId[];

test.each(ids)(
  "%s: the arguments of a call are sent once, however many calls have its id",
  (id) => {
    const small = Array.from({ length: 500 }, () => [call("small"), result("r")]).flat();
    const large = [call("large", JSON.stringify({ a: "x".repeat(100_000) })), result("r")];
    const sent = write(id, [...small, ...large]);

    expect(sent.length).toBeLessThan(300_000);
  },
);

test("a result is told with its own call, also if a later one has the same id", () => {
  const items = [call("first", '{"a":1}'), result("one"), call("second", '{"b":2}'), result("two")];
  const cohere = JSON.parse(write("cohere-v1", items));
  const [, , before] = cohere.chat_history;
  expect(before.tool_results[0].call).toEqual({ name: "first", parameters: { a: 1 } });
  expect(cohere.tool_results[0].call).toEqual({ name: "second", parameters: { b: 2 } });

  const { contents } = JSON.parse(write("gemini-generate", items));
  const names = contents.map(({ parts }: { parts: { functionResponse?: { name: string } }[] }) =>
    parts.flatMap(({ functionResponse: told }) => (told === undefined ? [] : [told.name])),
  );
  expect(names.flat()).toEqual(["first", "second"]);
});

test("a result that is an object is sent as one, and as a text from where there are too many values", () => {
  const many = JSON.stringify({ a: Array.from({ length: 30_000 }, () => 1.5) });
  const items = ['{"a":1.0}', "[1,2]", " {", many, '{"b":2}'].flatMap((text) => [
    call("t"),
    result(text),
  ]);
  const { contents } = JSON.parse(write("gemini-generate", items));
  const told = contents.flatMap(
    ({ parts }: { parts: { functionResponse?: { response: object } }[] }) =>
      parts.flatMap(({ functionResponse }) => functionResponse?.response ?? []),
  );
  expect(told).toEqual([
    { a: 1 },
    { result: "[1,2]" },
    { result: " {" },
    { result: many },
    { result: '{"b":2}' },
  ]);
});
