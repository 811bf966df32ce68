import { expect, test } from "bun:test";
import type { Modality } from "#canonical/modality.ts";
import type { BodyChanges } from "#formats/format.ts";
import { readRequest } from "./read-request.ts";
import { rewriteRequest } from "./rewrite-request.ts";

const encoder = new TextEncoder();

/** Rewrites a body with only the given changes. */
function rewrite(text: string, changes: Partial<BodyChanges>, modality: Modality = "chat"): string {
  const bytes = encoder.encode(text);
  const body = readRequest(bytes, { modality, model: "from-path" });
  if ("code" in body) throw new Error(body.message);
  const { model } = body;
  const rewritten = rewriteRequest(bytes, body, { model, asksForUsage: false, ...changes });
  return new TextDecoder().decode(rewritten);
}

const messages = '"messages":[{"content":"\\u00e9 model \\"model\\":\\"x\\""}]';

// Prompt caches, big integers and unknown fields survive only if all other bytes stay as they are.
test("only the model's own bytes change", () => {
  const around = (model: string) =>
    ` { "seed":12345678901234567890,${messages} , "mod\\u0065l" :\t${model}, "x":1.50e0 }\n`;

  expect(rewrite(around('"gpt-4o"'), { model: 'a"b\n/深' })).toBe(around('"a\\"b\\n/深"'));
  expect(rewrite(around('"gpt-4o"'), { model: "gpt-4o" })).toBe(around('"gpt-4o"'));
  expect(rewrite(around('"gpt-4o"'), {})).toBe(around('"gpt-4o"'));
});

test("a model that only the path names is added to the body", () => {
  expect(rewrite('{"input":"x"}', {}, "embeddings")).toBe('{"model":"from-path","input":"x"}');
  expect(rewrite('{"model":null,"input":"x"}', { model: "m" }, "embeddings")).toBe(
    '{"model":"m","input":"x"}',
  );
});

test("usage is requested wherever the client did not", () => {
  const cases: [string, string][] = [
    ["", '"stream_options":{"include_usage":true},'],
    ['"stream_options":null,', '"stream_options":{"include_usage":true},'],
    ['"stream_options":{ },', '"stream_options":{"include_usage":true },'],
    ['"stream_options":{"x":1},', '"stream_options":{"include_usage":true,"x":1},'],
    [
      '"stream_options":{"x":1, "include_usage" : false},',
      '"stream_options":{"x":1, "include_usage" : true},',
    ],
    ['"stream_options":{"include_usage":true},', '"stream_options":{"include_usage":true},'],
  ];
  for (const [before, after] of cases) {
    const text = `{${before}"model":"m",${messages}}`;
    expect(rewrite(text, { asksForUsage: true })).toBe(`{${after}"model":"m",${messages}}`);
  }
});

test("several changes do not interfere", () => {
  const text = `{"stream":true,"model":"m",${messages},"stream_options":{"include_usage":false}}`;

  expect(rewrite(text, { model: "longer-name", asksForUsage: true })).toBe(
    `{"stream":true,"model":"longer-name",${messages},"stream_options":{"include_usage":true}}`,
  );
});

test("a rewritten body reads as requested", () => {
  const bytes = encoder.encode(`{"model":"m",${messages}}`);
  const path = { modality: "chat", model: null } as const;
  const body = readRequest(bytes, path);
  if ("code" in body) throw new Error(body.message);
  const changed = rewriteRequest(bytes, body, { model: "other", asksForUsage: true });

  expect(readRequest(changed, path)).toMatchObject({ model: "other", wantsUsage: true });
});
