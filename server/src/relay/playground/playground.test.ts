import { afterEach, expect, test } from "bun:test";
import type { Identity } from "#http/guard.ts";
import { openPlayground, playgroundBytesMax } from "./playground.ts";
import { type PageCalls, servePageCalls } from "#relay/testing/page-calls.ts";
import { testChannel, testSnapshot } from "#relay/testing/relay.ts";
import { jsonAnswer } from "#network/testing/upstream.ts";

const usage = '{"prompt_tokens":3,"completion_tokens":5,"total_tokens":8}';
const answer = jsonAnswer(`{"choices":[{"message":{"content":"hi"}}],"usage":${usage}}`);

let opened: PageCalls | undefined;
afterEach(async () => await opened?.stop());

const ada: Identity = {
  kind: "known",
  userId: 7,
  role: 1,
  username: "ada",
  status: 1,
  sessionId: "session",
};

/** @param answered what the upstream answers. */
async function open(identity: Identity, callsPerMinute = 0, answered = answer) {
  const channels = (baseUrl: string) => [
    testChannel({ baseUrl, groups: new Set(["default", "vip"]) }),
    testChannel({ id: 2, baseUrl, models: new Set(["staff"]), groups: new Set(["staff"]) }),
  ];
  const { send, ...served } = await servePageCalls(channels, answered, (shared) =>
    openPlayground({
      ...shared,
      snapshot: testSnapshot(
        { channels: shared.channels, options: { bodyBytesMax: 100_000_000 } },
        { user: identity.kind === "known" ? { role: identity.role } : {}, token: {} },
      ),
      authenticate: async () => identity,
      requestsPerMinute: () => callsPerMinute,
    }),
  );
  opened = { send, ...served };
  return {
    ...served,
    send: async (
      body: object | string,
      headers: Record<string, string> = {},
      path = "/pg/chat/completions",
    ) => {
      const sent = await send(path, body, { "new-api-user": "7", ...headers });
      return { ...sent, code: sent.error?.code };
    },
  };
}

const ask = {
  model: "m",
  messages: [{ role: "user", content: "hi", id: "1", status: "complete" }],
};

test("a call reaches the upstream without the console's fields and is charged to the user", async () => {
  const { send, money, requests } = await open(ada);
  const { status, headers } = await send({ ...ask, group: "vip", temperature: 0, max_tokens: 0 });
  expect(status).toBe(200);
  expect(JSON.parse(requests[0]?.split("\r\n\r\n")[1] ?? "")).toEqual({
    model: "m",
    messages: [{ role: "user", content: "hi" }],
    temperature: 0,
  });
  // 3 input tokens at 2 quota units and 5 output tokens at 8, all times the group ratio of 0.5.
  expect(money.settled).toMatchObject([
    { charge: 23, log: { tokenId: 0, tokenName: "playground-vip", group: "vip", userId: 7 } },
  ]);
  expect(headers.get("access-control-allow-origin")).toBeNull();
  expect(headers.get("x-content-type-options")).toBe("nosniff");
});

test("an administrator reads which channel failed and what its upstream said, a user does not", async () => {
  const refusal = jsonAnswer(
    '{"error":{"message":"Incorrect API key provided: sk-upstream-secret-1","code":"invalid_api_key"}}',
    "401 Unauthorized",
  );
  const down = jsonAnswer('{"error":{"message":"disk full at 10.0.0.7"}}', "500 Oops");
  for (const [answered, role, message] of [
    [refusal, 10, "channel：上游拒绝了该密钥 (401)：Incorrect API key provided: ***"],
    [refusal, 1, "上游渠道暂不可用，请稍后再试"],
    [down, 100, "channel：上游出错 (500)：disk full at ***"],
    [down, 1, "bad response status code 500"],
  ] as const) {
    const { send } = await open({ ...ada, role }, 0, answered);
    expect((await send(ask)).error?.message).toBe(`${message} (request id: r-1)`);
    await opened?.stop();
  }
});

test("without a group the user's own is charged", async () => {
  const { send, money } = await open(ada);
  for (const body of [ask, { ...ask, group: "" }, { ...ask, group: null }]) {
    expect((await send(body)).status).toBe(200);
  }
  expect(money.settled.map(({ log }) => log.tokenName)).toEqual(
    Array(3).fill("playground-default"),
  );
});

const refused = [
  { what: "nobody", identity: { kind: "nobody" }, status: 401, code: "not_signed_in" },
  {
    what: "an unknown access token",
    identity: { kind: "unknown-token" },
    status: 403,
    code: "not_allowed",
  },
  {
    what: "an access token",
    identity: { ...ada, sessionId: null },
    status: 403,
    code: "session_required",
  },
  { what: "a banned user", identity: { ...ada, status: 2 }, status: 403, code: "not_allowed" },
  {
    what: "a user the relay does not know",
    identity: { ...ada, userId: 8 },
    headers: { "new-api-user": "8" },
    status: 403,
    code: "user_disabled",
  },
  {
    what: "another user's header",
    identity: ada,
    headers: { "new-api-user": "8" },
    status: 401,
    code: "not_signed_in",
  },
  {
    what: "no user header",
    identity: ada,
    headers: { "new-api-user": "" },
    status: 401,
    code: "not_signed_in",
  },
  {
    what: "a foreign page",
    identity: ada,
    headers: { origin: "https://evil.test" },
    status: 403,
    code: "foreign_origin",
  },
  {
    what: "a foreign site",
    identity: ada,
    headers: { "sec-fetch-site": "cross-site" },
    status: 403,
    code: "foreign_origin",
  },
  {
    what: "a form",
    identity: ada,
    headers: { "content-type": "text/plain" },
    status: 415,
    code: "unsupported_media_type",
  },
  {
    what: "a foreign group",
    identity: ada,
    body: { ...ask, group: "staff" },
    status: 403,
    code: "group_not_allowed",
  },
  {
    what: "a group there is not",
    identity: ada,
    body: { ...ask, group: "constructor" },
    status: 403,
    code: "group_not_allowed",
  },
  {
    what: "another group's model",
    identity: ada,
    body: { ...ask, model: "staff" },
    status: 403,
    code: "model_not_allowed",
  },
  {
    what: "an unknown model",
    identity: ada,
    body: { ...ask, model: "none" },
    status: 500,
    code: "get_playground_channel_failed",
  },
  {
    what: "no model",
    identity: ada,
    body: { ...ask, model: "" },
    status: 400,
    code: "model_required",
  },
  {
    what: "no messages",
    identity: ada,
    body: { model: "m" },
    status: 400,
    code: "invalid_text_request",
  },
  { what: "no JSON", identity: ada, body: "{", status: 400, code: "invalid_text_request" },
  {
    what: "a body that is too large",
    identity: ada,
    body: " ".repeat(playgroundBytesMax + 1),
    status: 413,
    code: "request_too_large",
  },
] as const satisfies readonly {
  what: string;
  identity: Identity;
  headers?: Record<string, string>;
  body?: object | string;
  status: number;
  code: string;
}[];

for (const { what, identity, status, code, ...sent } of refused) {
  test(`P-A7 O-543: ${what} is refused in the relay's error format, and nothing is held`, async () => {
    const { send, money, requests } = await open(identity);
    const headers = "headers" in sent ? sent.headers : {};
    const got = await send("body" in sent ? sent.body : ask, headers);
    expect({ status: got.status, code: got.code }).toEqual({ status, code });
    expect(got.error).toMatchObject({
      type: "new_api_error",
      message: expect.stringContaining("r-1"),
    });
    expect(got.headers.get("access-control-allow-origin")).toBeNull();
    expect([requests.length, money.held, money.settled.length]).toEqual([0, 0, 0]);
  });
}

test("A-290: a model of another group is refused with the specification's text", async () => {
  const { send } = await open(ada);
  const { error } = await send({ ...ask, model: "staff" });
  expect(error?.message).toStartWith("Your group is not authorized to use this model");
});

test("the console's rate limit applies to playground calls", async () => {
  const { send } = await open(ada, 2);
  expect([(await send(ask)).status, (await send(ask)).status]).toEqual([200, 200]);
  const { status, code, headers } = await send(ask);
  expect([status, code]).toEqual([429, "rate_limited"]);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
});

test("other paths below /pg are answered 404, to pages of other origins too", async () => {
  const { send } = await open(ada);
  for (const path of ["/pg", "/pg/v1/models", "/pg/chat"]) {
    const { status, headers } = await send(ask, {}, path);
    expect(status).toBe(404);
    expect(headers.get("access-control-allow-origin")).toBeNull();
  }
});
