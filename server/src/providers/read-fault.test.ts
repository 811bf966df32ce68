import { expect, test } from "bun:test";
import { readFault } from "./read-fault.ts";

function judge(status: number, body: unknown = "") {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const { retryable, channelFault } = readFault(status, text);
  return { retryable, channelFault };
}

const channels = { retryable: true, channelFault: true };
const moments = { retryable: true, channelFault: false };
const calls = { retryable: false, channelFault: false };

test("temporary faults and faults of the channel are retried elsewhere, mistakes in the call are not", () => {
  for (const status of [401, 402, 403, 404]) {
    expect(judge(status), String(status)).toEqual(channels);
  }
  for (const status of [302, 307, 408, 429, 500, 502, 503, 504, 524, 529, 599]) {
    expect(judge(status), String(status)).toEqual(moments);
  }
  for (const status of [400, 405, 409, 413, 415, 422, 451]) {
    expect(judge(status), String(status)).toEqual(calls);
  }
});

test("a 400 or 429 about the channel's account counts as the channel's fault", () => {
  const bodies = [
    { error: { code: "model_not_found", message: "no such model" } },
    { error: { type: "authentication_error", message: "no" } },
    { error: { type: "insufficient_quota", code: null, message: "no money" } },
    { code: "invalid-argument", error: "Incorrect API key provided: xa***" },
    [{ error: { code: 400, message: "API key not valid. Please pass a valid API key." } }],
  ];
  for (const body of bodies) expect(judge(400, body), JSON.stringify(body)).toEqual(channels);
  expect(judge(429, bodies[2])).toEqual(channels);
  expect(judge(400, { error: { message: "max_tokens is too large" } })).toEqual(calls);
});

test("code and message are the upstream's, or else the status", () => {
  expect(readFault(400, '{"error":{"message":"m","type":"t","code":"c"}}')).toMatchObject({
    code: "c",
    message: "m",
  });
  expect(readFault(400, '{"error":{"message":"m","type":"t","code":null}}')).toMatchObject({
    code: "t",
  });
  for (const body of ["", "<html>Bad Gateway</html>", "null", "{", "[]", '{"error":{}}']) {
    expect(readFault(502, body)).toMatchObject({
      code: "http-502",
      message: "bad response status code 502",
    });
  }
});
