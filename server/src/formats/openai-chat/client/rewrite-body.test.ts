import { expect, test } from "bun:test";
import type { Modality } from "#canonical/modality.ts";
import { readRequestBody } from "./read-request.ts";
import { type BodyChanges, rewriteBody } from "./rewrite-body.ts";

const encoder = new TextEncoder();

function rewrite(text: string, changes: BodyChanges, modality: Modality = "chat"): string {
  const bytes = encoder.encode(text);
  const body = readRequestBody(bytes, modality, "from-path");
  if ("code" in body) throw new Error(body.message);
  return new TextDecoder().decode(rewriteBody(bytes, body, changes));
}

const messages = '"messages":[{"content":"\\u00e9 model \\"model\\":\\"x\\""}]';

// Cache prefixes, big integers and unknown fields live on the bytes staying as they are.
test("only the model's own bytes change", () => {
  const around = (model: string) =>
    ` { "seed":12345678901234567890,${messages} , "mod\\u0065l" :\t${model}, "x":1.50e0 }\n`;

  expect(rewrite(around('"gpt-4o"'), { model: 'a"b\n/深' })).toBe(around('"a\\"b\\n/深"'));
  expect(rewrite(around('"gpt-4o"'), { model: "gpt-4o" })).toBe(around('"gpt-4o"'));
  expect(rewrite(around('"gpt-4o"'), {})).toBe(around('"gpt-4o"'));
});

test("a model only the path named is put into the body", () => {
  expect(rewrite('{"input":"x"}', {}, "embeddings")).toBe('{"model":"from-path","input":"x"}');
  expect(rewrite('{"model":null,"input":"x"}', { model: "m" }, "embeddings")).toBe(
    '{"model":"m","input":"x"}',
  );
});

test("usage is asked for wherever the client left it out", () => {
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
    expect(rewrite(text, { includeUsage: true })).toBe(`{${after}"model":"m",${messages}}`);
  }
});

test("a limit is lowered where it stands and set where there is none", () => {
  const cases: [string, BodyChanges, string][] = [
    ['"max_tokens":500,', { maxTokens: 100 }, '"max_tokens":100,'],
    ['"max_tokens":50,', { maxTokens: 100 }, '"max_tokens":50,'],
    ['"max_completion_tokens":500,', { maxTokens: 100 }, '"max_completion_tokens":100,'],
    [
      '"max_tokens":500,"max_completion_tokens":5,',
      { maxTokens: 100 },
      '"max_tokens":100,"max_completion_tokens":5,',
    ],
    ['"max_tokens":0,', { maxTokens: 100 }, '"max_tokens":100,'],
    ['"max_tokens":null,', { maxTokens: 100 }, '"max_tokens":100,'],
    ["", { maxTokens: 100 }, '"max_tokens":100,'],
    ["", { maxTokens: 100, maxTokensKey: "max_completion_tokens" }, '"max_completion_tokens":100,'],
  ];
  for (const [before, changes, after] of cases) {
    const text = `{${before}"model":"m",${messages}}`;
    expect(rewrite(text, changes)).toBe(`{${after}"model":"m",${messages}}`);
  }
});

test("several changes at once keep their places", () => {
  const text = `{"stream":true,"model":"m",${messages},"stream_options":{"include_usage":false}}`;

  expect(rewrite(text, { model: "longer-name", includeUsage: true, maxTokens: 9 })).toBe(
    `{"max_tokens":9,"stream":true,"model":"longer-name",${messages},` +
      '"stream_options":{"include_usage":true}}',
  );
});

test("what is rewritten reads as what was asked for", () => {
  const bytes = encoder.encode(`{"model":"m",${messages}}`);
  const body = readRequestBody(bytes, "chat");
  if ("code" in body) throw new Error(body.message);
  const changed = rewriteBody(bytes, body, { model: "other", includeUsage: true, maxTokens: 7 });

  expect(readRequestBody(changed, "chat")).toMatchObject({
    model: "other",
    includeUsage: true,
    maxTokens: 7,
  });
});
