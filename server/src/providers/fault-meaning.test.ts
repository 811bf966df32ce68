import { expect, test } from "bun:test";
import { pauseOf } from "#formats/shared/errors/error-pause.ts";
import { meaningOf } from "./fault-meaning.ts";
import { readFault } from "./read-fault.ts";

/** Errors as vendors send them: status, body, and what it means. */
const errors: readonly (readonly [number, object, string])[] = [
  [401, { error: { message: "Incorrect API key provided", code: "invalid_api_key" } }, "key"],
  [400, { code: "Client specified", error: "Incorrect API key provided: x." }, "key"],
  [400, { error: { code: 400, message: "API key not valid.", status: "INVALID_ARGUMENT" } }, "key"],
  [403, { message: "The security token included in the request is invalid." }, "key"],
  [401, { code: "InvalidApiKey", message: "Invalid API-key provided.", request_id: "r" }, "key"],
  [429, { error: { type: "insufficient_quota", message: "You exceeded your quota" } }, "money"],
  [402, { error: { message: "Insufficient Balance" } }, "money"],
  [400, { code: "Arrearage", message: "Access denied." }, "money"],
  [429, { error: { code: "1113", message: "余额不足" } }, "money"],
  [
    400,
    { error: { type: "invalid_request_error", message: "Your credit balance is too low" } },
    "money",
  ],
  [429, { error: { type: "rate_limit_error", message: "slow down" } }, "rate"],
  [429, { code: "Throttling.RateQuota", message: "Requests rate limit exceeded" }, "rate"],
  [400, { error: { code: "context_length_exceeded", message: "too long" } }, "context"],
  [
    400,
    { error: { type: "invalid_request_error", message: "prompt is too long: 9 > 8" } },
    "context",
  ],
  [400, { id: "x", message: "too many tokens: size limit exceeded by 25836 tokens." }, "context"],
  [400, { error: { code: "content_filter", message: "filtered" } }, "refused"],
  [400, { code: "DataInspectionFailed", message: "inappropriate content" }, "refused"],
  [404, { error: { type: "not_found_error", message: "model: x" } }, "model"],
  [403, { error: { type: "permission_error", message: "no" } }, "forbidden"],
  [
    529,
    { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    "overloaded",
  ],
  [400, { error: { type: "invalid_request_error", message: "bad tool" } }, "request"],
  [200, { error_code: 336_003, error_msg: "roles must alternate" }, "request"],
  [200, { error_code: 336_501, error_msg: "Rate limit reached for RPM" }, "rate"],
  [200, { error_code: 336_007, error_msg: "the max input characters is 11200" }, "context"],
  [200, { code: 4_000, msg: "The field bot_id is required" }, "request"],
  [200, { code: 4_100, msg: "authentication is invalid" }, "key"],
  [200, { Response: { Error: { Code: "InvalidParameterValue.Model", Message: "no" } } }, "model"],
  [200, { Response: { Error: { Code: "UnknownParameter", Message: "no" } } }, "request"],
];

test("T32: errors of all vendors mean the same few things", () => {
  const read = errors.map(([status, body]) => readFault(status, JSON.stringify(body)).meaning);

  expect(read).toEqual(errors.map(([, , meaning]) => meaning) as never);
});

// MiniMax sends its codes in a 200, and 1002 is its code for too many calls.
test("a number that means a wrong key at one vendor does not disable another's channel", () => {
  expect(meaningOf(200, { code: "1002", type: "", message: "rate limit" }).meaning).not.toBe("key");
});

// A client can make an upstream quote any text, so a text alone must not disable a channel.
test("a message alone proves nothing, a status and a code do", () => {
  const quoted = { code: "", type: "", message: "unknown field 'invalid api key'" };

  expect(meaningOf(400, quoted)).toEqual({ meaning: "key", isProven: false });
  expect(meaningOf(401, undefined)).toEqual({ meaning: "key", isProven: true });
  expect(meaningOf(429, { ...quoted, code: "insufficient_quota" })).toEqual({
    meaning: "money",
    isProven: true,
  });
});

test("T32: the pause that a body asks for is read, up to a day", () => {
  expect(pauseOf('{"details":[{"retryDelay":"37s"}]}')).toBe(37_000);
  expect(pauseOf("Please try again in 7m12.5s.")).toBe(432_500);
  expect(pauseOf("Please retry after 26 seconds.")).toBe(26_000);
  expect(pauseOf("Please try again in 20ms")).toBe(20);
  expect(pauseOf("try again in 9999999h")).toBe(86_400_000);
  expect(pauseOf("no pause")).toBeUndefined();
});

test("what is refused for its content or its length is not tried elsewhere", () => {
  for (const code of ["content_filter", "context_length_exceeded"]) {
    const { channelFault, retryable } = readFault(
      500,
      JSON.stringify({ error: { code, message: "no" } }),
    );
    expect([channelFault, retryable], code).toEqual([false, false]);
  }
});
