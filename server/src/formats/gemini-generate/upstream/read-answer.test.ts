import { expect, test } from "bun:test";
import { foldAnswer } from "#canonical/answer.ts";
import { readAnswer } from "./read-answer.ts";

function answerWith(parts: readonly object[], finishReason: string) {
  const candidates = [{ content: { role: "model", parts }, finishReason, index: 0 }];
  return foldAnswer(readAnswer(JSON.parse(JSON.stringify({ candidates })), "seed"));
}

test("a call of a tool that the client does not have reaches the client, which can say so", () => {
  const call = { functionCall: { name: "list_files", args: {} } };
  const { fault, finish, items } = answerWith([call], "UNEXPECTED_TOOL_CALL");

  expect([fault, finish?.reason, items[0]?.type]).toEqual([null, "tool-call", "tool-call"]);
});

test("an answer that is nothing but an unusable call is a failure", () => {
  for (const reason of ["UNEXPECTED_TOOL_CALL", "MALFORMED_FUNCTION_CALL"]) {
    expect(answerWith([], reason).fault?.code).toBe(reason);
  }
});
