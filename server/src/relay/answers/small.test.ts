import { afterEach, expect, test } from "bun:test";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { wholeStream } from "#relay/testing/stream.ts";
import { openTestRelay, testChannel, testKey } from "#relay/testing/relay.ts";

let stop: (() => Promise<void>) | undefined;
afterEach(async () => await stop?.());

test("model lists, preflights and unknown paths need no upstream", async () => {
  const models = new Set(["a/b", "unpriced"]);
  const channel = testChannel({ baseUrl: "http://127.0.0.1:1", models });
  const relay = openTestRelay({ channels: [channel] });
  stop = relay.stop;
  const get = async (path: string, key = testKey) => {
    const response = await fetch(relay.url + path, { headers: { authorization: key } });
    return { status: response.status, body: await response.json() };
  };
  // Calls to models without a price are refused, so such models are not listed either.
  expect(await get("/v1/models")).toMatchObject({
    status: 200,
    body: { success: true, object: "list", data: [{ id: "a/b", object: "model" }] },
  });
  expect(await get("/v1/models/a/b")).toMatchObject({ status: 200, body: { owned_by: "openai" } });
  expect(await get("/v1/models/unpriced")).toMatchObject({ status: 404 });
  const unknown = { status: 404, body: { error: { code: "model_not_found" } } };
  expect(await get("/v1/models/nope")).toMatchObject(unknown);
  expect((await get("/v1/models", "sk-bad")).status).toBe(401);
  expect(await get("/v1/nope", "")).toMatchObject({
    status: 404,
    body: { error: { type: "invalid_request_error" } },
  });
  const refused = await fetch(`${relay.url}/v1/edits`, { method: "POST", body: "{}" });
  expect(refused.status).toBe(501);
  expect(await refused.json()).toMatchObject({ error: { code: "api_not_implemented" } });
  expect(refused.headers.get("x-should-retry")).toBe("false");

  const preflight = await fetch(`${relay.url}/v1/chat/completions`, { method: "OPTIONS" });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
  expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
  expect(preflight.headers.get("access-control-allow-headers")).toContain("authorization");
});

test("files, batches and fine-tuning are refused in the form of the client that asks", async () => {
  const relay = openTestRelay({ channels: [] });
  stop = relay.stop;
  const refusal = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(relay.url + path, { method: "POST", headers, body: "{}" });
    return [response.status, await response.json()];
  };

  for (const path of ["/v1/files", "/v1/batches", "/v1/fine_tuning/jobs", "/v1/uploads/u/parts"]) {
    expect(await refusal(path)).toMatchObject([501, { error: { code: "api_not_implemented" } }]);
  }
  const anthropic = { type: "error", error: { type: "api_error" } };
  expect(await refusal("/v1/files", { "anthropic-version": "2023-06-01" })).toMatchObject([
    501,
    anthropic,
  ]);
  expect(await refusal("/v1/messages/batches")).toMatchObject([501, anthropic]);
  for (const path of ["/v1beta/files", "/upload/v1beta/files", "/v1beta/cachedContents"]) {
    expect(await refusal(path)).toMatchObject([501, { error: { status: "UNIMPLEMENTED" } }]);
  }
});

// If such an answer were kept, a shared cache, such as a proxy, could give one client an answer
// made for another's key.
test("no cache keeps an answer that depends on a key", async () => {
  const upstream = await startUpstream((socket, request) => {
    if (request.includes('"stream":true')) socket.write(wholeStream);
    else socket.write(jsonAnswer('{"choices":[{"index":0,"message":{"content":"hi"}}]}'));
  });
  const relay = openTestRelay({ channels: [testChannel({ baseUrl: upstream.url })] });
  stop = async () => {
    await relay.stop();
    await upstream.stop();
  };
  const ask = async (path: string, key: string, body?: object) => {
    const { headers } = await fetch(relay.url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: key },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return headers.get("cache-control");
  };
  const chat = { model: "m", messages: [{ role: "user", content: "hi" }] };
  for (const key of [testKey, "sk-bad"]) {
    for (const path of ["/v1/models", "/v1/models/m", "/dashboard/billing/usage"]) {
      expect(await ask(path, key), path).toBe("no-store");
    }
    for (const body of [chat, { ...chat, stream: true }]) {
      expect(await ask("/v1/chat/completions", key, body)).toBe("no-store");
    }
  }
});
