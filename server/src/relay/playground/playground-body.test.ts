import { expect, test } from "bun:test";
import { CallRefusal } from "#relay/call/call-refusal.ts";
import { formats } from "#formats/registry.ts";
import { readPlaygroundBody } from "./playground-body.ts";

const { fields } = formats["openai-chat"].client;
const encoder = new TextEncoder();

function read(text: string): { group: string; model: string; text: string } | [number, string] {
  try {
    const { bytes, ...rest } = readPlaygroundBody(encoder.encode(text), fields);
    return { ...rest, text: new TextDecoder().decode(bytes) };
  } catch (error) {
    if (!(error instanceof CallRefusal)) throw error;
    return [error.status, error.code];
  }
}

test("O-544: the group is read and removed wherever it is; no other byte changes", () => {
  const rest = '"model" : "m", "seed":12345678901234567890,"messages":[]';
  for (const text of [
    `{"group":"vip",${rest}}`,
    `{ ${rest} , "group" : "vip" }`,
    `{"model" : "m", "seed":12345678901234567890, "group":"vip","messages":[]}`,
  ]) {
    const found = read(text);
    expect(found).toMatchObject({ group: "vip", model: "m" });
    const sent = "text" in found ? found.text : "";
    expect(sent.replaceAll(" ", "")).toBe(`{${rest.replaceAll(" ", "")}}`);
    expect(sent).toContain("12345678901234567890");
  }
});

test("fields that consoles add to messages do not reach the upstream", () => {
  const message =
    '{"id":"1","createAt":1,"role":"user","status":"complete","content":"{\\"id\\":2}"}';
  const tool = '{"role":"tool","tool_call_id":"t","id":1}';
  const only = '{"id":"1","status":"loading","createAt":2}';
  const found = read(`{"model":"m","messages":[${message}, ${tool},${only},7],"group":""}`);
  expect(found).toMatchObject({ group: "" });
  expect("text" in found ? JSON.parse(found.text) : null).toEqual({
    model: "m",
    messages: [{ role: "user", content: '{"id":2}' }, { role: "tool", tool_call_id: "t" }, {}, 7],
  });
});

test("O-541: an output limit of 0 means no limit and does not reach the upstream", () => {
  for (const zero of ["0", "-0", "0.0", "0e3"]) {
    const found = read(`{"max_tokens":${zero},"model":"m","max_completion_tokens": ${zero} }`);
    expect(found).toMatchObject({ text: '{"model":"m" }' });
  }
  const kept = '{"model":"m","max_tokens":10,"max_completion_tokens":null,"temperature":0}';
  expect(read(kept)).toMatchObject({ text: kept });
});

test("a body with a repeated group or model, or one that is no string, is refused", () => {
  expect(read('{"model":"m","group":"a","group":"b"}')).toEqual([400, "invalid_request"]);
  expect(read('{"model":"m","group":"a","gr\\u006fup":"b"}')).toEqual([400, "invalid_request"]);
  expect(read('{"model":"m","group":["a"]}')).toEqual([400, "invalid_request"]);
  expect(read('{"model":7}')).toEqual([400, "invalid_request"]);
});

test("a call without a model is refused", () => {
  for (const text of ['{"messages":[]}', '{"model":""}', '{"model":null,"group":"vip"}', "{}"]) {
    expect(read(text)).toEqual([400, "model_required"]);
  }
});

test("a body that is not a JSON object is left to the relay to refuse", () => {
  for (const text of ["", "[]", '{"model":"m"', "null"]) {
    expect(read(text)).toEqual({ group: "", model: "", text });
  }
});
