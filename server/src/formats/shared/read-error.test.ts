import { expect, test } from "bun:test";
import { readErrorBody } from "./read-error.ts";

test("every form of error that vendors send is read", () => {
  const shapes: [unknown, string, string, string][] = [
    [{ error: { message: "m", type: "t", param: null, code: "c" } }, "c", "m", "t"],
    [{ error: { code: 429, message: "m", metadata: {} }, user_id: "u" }, "429", "m", ""],
    [{ error: { code: "401", message: "m" } }, "401", "m", ""],
    [
      { error: { code: 400, message: "m", status: "INVALID_ARGUMENT" } },
      "400",
      "m",
      "INVALID_ARGUMENT",
    ],
    [{ error: "m" }, "", "m", ""],
    [{ code: "c", error: "m" }, "c", "m", ""],
    [{ message: "m" }, "", "m", ""],
    [{ detail: "m" }, "", "m", ""],
    [{ detail: [{ loc: ["body"], msg: "m", type: "missing" }] }, "", "m", ""],
    [{ object: "error", message: "m", type: "t", param: null, code: 3 }, "3", "m", "t"],
    [{ object: "error", message: { detail: [{ msg: "m" }] }, code: null }, "", "m", ""],
    [{ code: "c", message: "m", request_id: "r" }, "c", "m", ""],
    [{ error_code: 17, error_msg: "m" }, "17", "m", ""],
    [{ msg: "m", code: 1001 }, "1001", "m", ""],
    [{ err: "m" }, "", "m", ""],
    [{ header: { code: 10_005, message: "m", sid: "s" } }, "10005", "m", ""],
    [{ response: { error: { message: "m", code: "c" } } }, "c", "m", ""],
    [{ base_resp: { status_code: 1_004, status_msg: "m" } }, "1004", "m", ""],
    [{ success: false, errors: [{ code: 7_000, message: "m" }], result: null }, "7000", "m", ""],
    [[{ error: { code: 503, message: "m", status: "UNAVAILABLE" } }], "503", "m", "UNAVAILABLE"],
    [{ choices: [{ error: { code: 502, message: "m" } }] }, "502", "m", ""],
  ];
  for (const [body, code, message, type] of shapes) {
    expect(readErrorBody(body), JSON.stringify(body)).toEqual({ code, message, type });
  }
});

test("answers and nonsense are not read as errors", () => {
  const others = [
    { choices: [{ message: { content: "x" } }], error: null },
    { choices: [], base_resp: { status_code: 0, status_msg: "success" } },
    { data: [], message: "ok" },
    { code: 0, message: "ok" },
    { code: "200", message: "success" },
    { success: true, errors: [], messages: [], message: "done" },
    { error: {} },
    { error: "" },
    {},
    [],
    "text",
    5,
    null,
    undefined,
  ];
  for (const body of others) expect(readErrorBody(body), JSON.stringify(body)).toBeUndefined();
});

test("the length of an error is limited", () => {
  const long = "x".repeat(100_000);
  const error = readErrorBody({ error: { message: long, code: long, type: long } });

  expect(JSON.stringify(error).length).toBeLessThan(3_000);
});
