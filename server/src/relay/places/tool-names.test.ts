import { expect, test } from "bun:test";
import { toolNames } from "./tool-names.ts";

const bytes = (messages: unknown): Buffer => Buffer.from(JSON.stringify(messages));
const user = (content: unknown) => ({ role: "user", content });
const use = (name: string, input: object = {}) => ({ type: "tool_use", id: "i", name, input });
const result = { type: "tool_result", tool_use_id: "i", content: 'of "tool_use" "name":"x"' };
const call = (name: string, args = "{}") => ({
  id: "c",
  type: "function",
  function: { name, arguments: args },
});

test("the tools of the last answer are found in each format, and those of earlier ones are not", () => {
  expect(
    toolNames(
      bytes([
        user("hi"),
        { role: "assistant", content: [use("Old")] },
        user([result]),
        { role: "assistant", content: [{ type: "text", text: "a" }, use("Bash"), use("Read")] },
        user([result, result]),
      ]),
    ),
  ).toEqual(["Bash", "Read"]);
  expect(
    toolNames(
      bytes([
        user("hi"),
        { role: "assistant", tool_calls: [call("old")] },
        { role: "tool", content: "r" },
        { role: "assistant", tool_calls: [call("grep", '{"name":"inner"}')] },
        { role: "tool", content: "r" },
      ]),
    ),
  ).toEqual(["grep"]);
  const item = (name: string) => ({ type: "function_call", call_id: "c", name, arguments: "{}" });
  const output = { type: "function_call_output", call_id: "c", output: "r" };
  expect(
    toolNames(
      bytes([user("hi"), item("old"), output, item("shell"), item("apply"), output, output]),
    ),
  ).toEqual(["shell", "apply"]);
  expect(
    toolNames(
      bytes([
        { role: "user", parts: [{ text: "hi" }] },
        { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] },
        { role: "user", parts: [{ functionResponse: { name: "look" } }] },
      ]),
    ),
  ).toEqual(["look"]);
});

test("an answer in words alone, a first turn, and texts that speak of tools have none", () => {
  const talk = [user("hi"), { role: "assistant", content: [use("Bash")] }, user([result])];
  expect(toolNames(bytes([...talk, { role: "assistant", content: "done" }, user("?")]))).toEqual(
    [],
  );
  expect(toolNames(bytes([user('{"type":"tool_use","name":"Bash"}')]))).toEqual([]);
  expect(toolNames(bytes([]))).toEqual([]);
});

test("of many names the first are kept, and no long one", () => {
  const many = Array.from({ length: 30 }, (_, at) => use(`tool_${at}`));
  expect(toolNames(bytes([user("a"), { role: "assistant", content: many }]))).toHaveLength(8);
  const long = [use("a".repeat(65)), use("b")];
  expect(toolNames(bytes([user("a"), { role: "assistant", content: long }]))).toEqual(["b"]);
});
