import { afterEach, expect, test } from "bun:test";
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
  // Models without a price are refused, so they are not listed either.
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
  const refused = await fetch(`${relay.url}/v1/messages`, { method: "POST", body: "{}" });
  expect(refused.status).toBe(501);
  expect(await refused.json()).toMatchObject({ error: { code: "api_not_implemented" } });

  const preflight = await fetch(`${relay.url}/v1/chat/completions`, { method: "OPTIONS" });
  expect(preflight.status).toBe(204);
  expect(preflight.headers.get("access-control-allow-origin")).toBe("*");
  expect(preflight.headers.get("access-control-allow-credentials")).toBeNull();
  expect(preflight.headers.get("access-control-allow-headers")).toContain("authorization");
});
