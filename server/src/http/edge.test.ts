import { expect, test } from "bun:test";
import { endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { z } from "zod";
import { openByteBudget } from "#base/memory/byte-budget.ts";
import { openLogger } from "#base/logger.ts";
import { openRateLimits } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import { consoleBodyBytesMax } from "./body.ts";
import { type ConsoleOptions, openConsole } from "./edge.ts";
import { openErrorTexts } from "./error-texts.ts";
import type { Identity, KnownIdentity } from "./guard.ts";
import { handle, reply, withExtras } from "./handler.ts";

const known: KnownIdentity = {
  kind: "known",
  userId: 7,
  role: 10,
  username: "alice",
  status: 1,
  sessionId: "session",
};
const own = { "new-api-user": "7" };
const json = { "content-type": "application/json" };

test("the guard's checks have their order and their messages", async () => {
  const table: [Identity, Record<string, string>, number, string][] = [
    [{ kind: "nobody" }, own, 401, "无权进行此操作，未登录且未提供 access token"],
    [{ kind: "unknown-token" }, {}, 200, "无权进行此操作，access token 无效"],
    [{ ...known, username: " " }, {}, 200, "无权进行此操作，用户信息无效"],
    [{ ...known, role: 5 }, {}, 200, "无权进行此操作，用户信息无效"],
    [known, {}, 401, "无权进行此操作，未提供 New-Api-User"],
    [known, { "new-api-user": "7a" }, 401, "无权进行此操作，New-Api-User 格式错误"],
    [known, { "new-api-user": "07" }, 401, "无权进行此操作，New-Api-User 格式错误"],
    [known, { "new-api-user": "8" }, 401, "无权进行此操作，New-Api-User 与登录用户不匹配"],
    [
      { ...known, status: 2 },
      { "new-api-user": "8" },
      401,
      "无权进行此操作，New-Api-User 与登录用户不匹配",
    ],
    [{ ...known, status: 2 }, own, 200, "用户已被封禁"],
    [{ ...known, role: 1 }, own, 200, "无权进行此操作，权限不足"],
  ];
  for (const [identity, headers, status, message] of table) {
    const answer = await call({ identity }, "GET", "/api/thing/5", { headers });
    expect(answer).toMatchObject({ status, body: { success: false, message } });
  }
  expect(await call({}, "GET", "/api/thing/5", { headers: { "NEW-API-USER": "7" } })).toMatchObject(
    { status: 200, body: { success: true, message: "", data: "thing 5 for alice" } },
  );
});

// Browsers go to the sign-in page on a 401. On a public page every visitor with an expired cookie
// would be sent there.
test("a public call is never refused because of its caller", async () => {
  for (const identity of [
    { kind: "nobody" },
    { kind: "unknown-token" },
    { ...known, status: 2 },
    { ...known, username: "" },
  ] satisfies Identity[]) {
    const answer = await call({ identity }, "GET", "/api/open", {
      headers: { "new-api-user": "-1" },
    });
    expect(answer).toMatchObject({ status: 200, body: { data: "guest" } });
  }
  expect(await call({}, "GET", "/api/open")).toMatchObject({ body: { data: "alice" } });
});

test("a page of another origin cannot change state, a program without an origin can", async () => {
  const attempt = async (headers: Record<string, string>, method = "POST") =>
    await call({ serverAddress: "https://gw.example/" }, method, "/api/thing", {
      headers: { ...own, ...json, ...headers },
      ...(method === "POST" ? { body: "{}" } : {}),
    });
  for (const foreign of [
    { origin: "https://evil.example" },
    { origin: "null" },
    { origin: "http://gateway.test.evil.example" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site", origin: "http://gateway.test" },
  ]) {
    expect((await attempt(foreign)).status).toBe(403);
    // A GET that changes state needs the same checks as any other change.
    expect((await attempt(foreign, "GET")).status).toBe(403);
  }
  for (const fine of [
    {},
    { origin: "http://gateway.test" },
    { origin: "https://gw.example" },
    { "sec-fetch-site": "same-origin", origin: "https://elsewhere.example" },
  ]) {
    expect(await attempt(fine)).toMatchObject({ status: 200, body: { data: "changed" } });
    expect(await attempt(fine, "GET")).toMatchObject({ status: 200, body: { data: "changed" } });
  }
});

test("a GET that changes state requires the user-id header, and is also served as a POST", async () => {
  expect((await call({}, "GET", "/api/thing")).status).toBe(401);
  expect((await call({}, "POST", "/api/thing")).status).toBe(401);
});

test("a public call that changes state is answered whatever the user-id header says, and is the signed-in user's only where it names them", async () => {
  for (const headers of [{}, { "new-api-user": "-1" }, { "new-api-user": "8" }]) {
    for (const method of ["GET", "POST"]) {
      const answer = await call({}, method, "/api/leave", { headers });
      expect(answer).toMatchObject({ status: 200, body: { data: "guest leaves" } });
    }
  }
  const named = await call({}, "GET", "/api/leave", { headers: own });
  expect(named).toMatchObject({ body: { data: "alice leaves" } });
});

test("an ambiguous or unreadable body reaches no handler", async () => {
  const send = async (body: string, headers: Record<string, string> = json) =>
    (await call({}, "PUT", "/api/thing", { headers: { ...own, ...headers }, body })).status;

  expect(await send('{"name":"a"}')).toBe(200);
  expect(await send('{"name":"a","name":"b"}')).toBe(400);
  expect(await send('{"name":"a","n\\u0061me":"b"}')).toBe(400);
  expect(await send('{"name":"a"')).toBe(400);
  expect(await send("[]")).toBe(400);
  expect(await send('{"name":"a"}', {})).toBe(415);
  expect(await send("name=a", { "content-type": "application/x-www-form-urlencoded" })).toBe(415);
  expect(await send('{"name":"a"}', { ...json, "content-encoding": "gzip" })).toBe(415);
  expect(await send(`{"deep":${"[".repeat(70)}${"]".repeat(70)}}`)).toBe(400);
});

test("a body over the limit is refused, with and without an announced length", async () => {
  const text = `{"name":"${"x".repeat(consoleBodyBytesMax)}"}`;
  const headers = { ...own, ...json };
  const stream = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });

  expect((await call({}, "PUT", "/api/thing", { headers, body: text })).status).toBe(413);
  expect((await call({}, "PUT", "/api/thing", { headers, body: stream })).status).toBe(413);
});

test("a declared query field may occur once, others any number of times", async () => {
  expect((await call({}, "GET", "/api/thing/5?p=1&p=2", { headers: own })).status).toBe(400);
  expect((await call({}, "GET", "/api/thing/5?x=1&x=2", { headers: own })).status).toBe(200);
});

test("an unknown path is answered 404 in the relay's form, before any other check", async () => {
  for (const [method, path] of [
    ["GET", "/api/nothing"],
    ["DELETE", "/api/thing"],
  ] as const) {
    expect(await call({ identity: { kind: "nobody" } }, method, path)).toMatchObject({
      status: 404,
      body: {
        error: {
          message: `Invalid URL (${method} ${path})`,
          type: "invalid_request_error",
          param: "",
          code: "",
        },
      },
    });
  }
});

test("a bug is answered without details, and logged with its stack", async () => {
  const lines: unknown[] = [];
  const log = openLogger("silent");
  log.error = ((line: unknown) => lines.push(line)) as typeof log.error;
  const answer = await call({ log }, "GET", "/api/bug", { headers: own });

  expect(answer.status).toBe(500);
  expect(JSON.stringify(answer.body)).not.toContain("inner");
  expect(JSON.stringify(answer.body)).toContain("request-1");
  expect(lines).toMatchObject([{ err: { message: "inner" }, requestId: "request-1" }]);
});

test("every answer has a request id, is not cached and cannot be rendered as a page", async () => {
  for (const path of ["/api/open", "/api/nothing", "/api/bug"]) {
    const { headers } = await call({}, "GET", path, { headers: own });
    expect(headers).toMatchObject({
      "x-request-id": "request-1",
      "x-oneapi-request-id": "request-1",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    });
    expect(headers["access-control-allow-origin"]).toBeUndefined();
  }
});

test("extras are beside data and cannot overwrite the envelope's fields", async () => {
  expect((await call({}, "GET", "/api/extra", { headers: own })).body).toEqual({
    success: true,
    message: "",
    data: [1],
    total: 1,
  });
  expect((await call({}, "GET", "/api/failed", { headers: own })).body).toEqual({
    success: false,
    message: "status code 401",
    time: 0.2,
    field: "key",
  });
});

test("a refusal is in the language that the request names, and else in Chinese", async () => {
  for (const [language, message] of [
    [undefined, "无权进行此操作，未登录且未提供 access token"],
    ["en-GB,en;q=0.9", "Not allowed: not signed in, and no access token was sent"],
    ["zh-CN", "无权进行此操作，未登录且未提供 access token"],
  ] as const) {
    const headers = language === undefined ? {} : { "accept-language": language };
    const { body } = await call({ identity: { kind: "nobody" } }, "GET", "/api/extra", { headers });
    expect(body).toEqual({ success: false, message });
  }
});

test("a session over its limit is answered 429 with `retry-after`, others are not", async () => {
  let nowMs = 0;
  const limits = openRateLimits({ now: () => nowMs });
  const options = { limits, perMinute: 3 };
  const status = async (identity: Identity, ip = "203.0.113.1") =>
    (await call({ ...options, identity, ip }, "GET", "/api/open")).status;

  for (let count = 0; count < 3; count += 1) expect(await status(known)).toBe(200);
  const refused = await call({ ...options }, "GET", "/api/open");
  expect(refused).toMatchObject({ status: 429, body: { success: false } });
  expect(refused.headers["retry-after"]).toBe("60");
  expect(await status({ ...known, sessionId: "other" })).toBe(200);

  // All visitors from one address share a third of a session's limit: here one of three requests.
  expect(await status({ kind: "nobody" })).toBe(200);
  expect(await status({ kind: "unknown-token" })).toBe(429);
  expect(await status({ kind: "nobody" }, "203.0.113.2")).toBe(200);

  nowMs = 60_001;
  expect(await status(known)).toBe(200);
});

type Settings = {
  readonly identity?: Identity;
  readonly serverAddress?: string;
  readonly log?: ConsoleOptions["log"];
  readonly limits?: ConsoleOptions["limits"];
  readonly budget?: ConsoleOptions["budget"];
  readonly perMinute?: number;
  readonly ip?: string;
};

async function call(
  settings: Settings,
  method: string,
  path: string,
  sent: { headers?: Record<string, string>; body?: string | ReadableStream } = {},
) {
  const answer = openConsole({
    handlers,
    authenticate: async () => settings.identity ?? known,
    requireStepUp: async () => {},
    limits: settings.limits ?? openRateLimits({ now: () => 0 }),
    budget: settings.budget ?? openByteBudget(64 * 1024 * 1024),
    requestsPerMinute: () => settings.perMinute ?? 0,
    serverAddress: () => settings.serverAddress ?? "",
    errorText: openErrorTexts({ language: () => "zh", showQuota: String }),
    log: settings.log ?? openLogger("silent"),
  });
  const request = new Request(`https://gateway.test${path}`, {
    method,
    headers: sent.headers ?? {},
    body: sent.body ?? null,
  });
  const response = await answer(request, {
    clientIp: settings.ip ?? "203.0.113.1",
    requestId: "request-1",
  });
  return {
    status: response.status,
    body: await response.json(),
    headers: Object.fromEntries(response.headers),
  };
}

const none = z.object({});
const handlers = [
  handle(
    endpoint({
      method: "GET",
      path: "/api/thing/:id",
      access: "admin",
      input: z.object({ id: z.string(), p: z.string().optional() }),
      output: z.string(),
    }),
    async ({ id }, { username }) => `thing ${id} for ${username}`,
  ),
  handle(
    endpoint({
      method: "GET",
      path: "/api/thing",
      access: "user",
      changesState: true,
      alias: "POST",
      input: none,
      output: z.string(),
    }),
    async () => "changed",
  ),
  handle(
    endpoint({
      method: "PUT",
      path: "/api/thing",
      access: "user",
      input: z.object({ name: z.string() }),
      output: z.string(),
    }),
    async ({ name }) => name,
  ),
  handle(
    endpoint({
      method: "GET",
      path: "/api/open",
      access: "public",
      input: none,
      output: z.string(),
    }),
    async (_, { username }) => username || "guest",
  ),
  handle(
    endpoint({
      method: "GET",
      path: "/api/leave",
      access: "public",
      changesState: true,
      alias: "POST",
      input: none,
      output: z.string(),
    }),
    async (_, { username }) => `${username || "guest"} leaves`,
  ),
  handle(
    endpoint({ method: "GET", path: "/api/bug", access: "user", input: none, output: z.void() }),
    async () => {
      throw new Error("inner");
    },
  ),
  handle(
    endpoint({
      method: "GET",
      path: "/api/extra",
      access: "user",
      input: none,
      output: z.array(z.number()),
      extras: z.object({ total: z.number() }),
    }),
    async () => withExtras([1], { total: 1, success: false }),
  ),
  handle(
    endpoint({
      method: "GET",
      path: "/api/failed",
      access: "user",
      input: none,
      output: z.void(),
      extras: z.object({ time: z.number() }),
    }),
    async () =>
      reply(undefined, {
        extras: { time: 0.2 },
        success: false,
        message: "status code 401",
        field: "key",
      }),
  ),
  handle(
    endpoint({ method: "GET", path: "/api/no", access: "user", input: none, output: z.void() }),
    async () => {
      throw new Refusal("not-found", "no such thing");
    },
  ),
];

test("a refusal reaches the caller as a message, never as data", async () => {
  expect(await call({}, "GET", "/api/no", { headers: own })).toMatchObject({
    status: 200,
    body: { success: false, message: "no such thing" },
  });
});

test("an answer contains only what the contract declares", async () => {
  const input = z.object({});
  const output = z.object({ name: z.string() });
  const leaky = handle(
    endpoint({ method: "GET", path: "/api/leaky", access: "public", input, output }),
    async () => ({ name: "a", password_hash: "secret" }),
  );
  const caller = { userId: 0, role: 0, username: "", clientIp: "", sessionId: null } as const;

  expect(await leaky.run({}, { ...caller, requestId: "" })).toEqual({ name: "a" });
});
