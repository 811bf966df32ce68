/** What the official SDKs do not show of the APIs of Anthropic, Google and OpenAI's Responses. */

import { afterAll, expect, test } from "bun:test";
import { startDemoUpstream } from "./demo-upstream.ts";
import type { DemoScript } from "./script.ts";

const upstream = startDemoUpstream();
afterAll(() => upstream.stop());

const messages = [{ role: "user", content: "hello" }];

/** One streamed call of each API, and how its last event begins. */
const apis = {
  responses: {
    path: "/v1/responses",
    body: { model: "m", input: "hello", stream: true },
    header: ["authorization", "Bearer k"],
    last: `event: response.completed\ndata: {"type":"response.completed"`,
    error: `event: error\ndata: {"type":"error","code":"overloaded"}`,
  },
  messages: {
    path: "/v1/messages",
    body: { model: "m", messages, stream: true },
    header: ["x-api-key", "k"],
    last: `event: message_stop\ndata: {"type":"message_stop"}`,
    error: `event: error\ndata: {"type":"error","error":{"code":"overloaded"}}`,
  },
  gemini: {
    path: "/v1beta/models/m:streamGenerateContent?alt=sse",
    body: { contents: [{ role: "user", parts: [{ text: "hello" }] }] },
    header: ["x-goog-api-key", "k"],
    last: `data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason"`,
    error: `data: {"error":{"code":"overloaded"}}`,
  },
} as const;

type Api = keyof typeof apis;

async function ask(api: Api, script: DemoScript): Promise<string[]> {
  const { path, body, header } = apis[api];
  const text = JSON.stringify(script);
  await fetch(`${upstream.url}/__demo/scripts/m`, { method: "PUT", body: text });
  const answer = await fetch(upstream.url + path, {
    method: "POST",
    headers: [[...header]],
    body: JSON.stringify(body),
  });
  const events = await answer.text().catch(() => "");
  return events.split("\n\n").filter((event) => event !== "");
}

for (const api of Object.keys(apis) as Api[]) {
  test(`a stream of ${api} ends with its own last event, as often as the script says`, async () => {
    const { last } = apis[api];
    const ends = async (script: DemoScript): Promise<number> =>
      (await ask(api, script)).filter((event) => event.startsWith(last)).length;
    expect([await ends({}), await ends({ done: false }), await ends({ done: 2 })]).toEqual([
      1, 0, 2,
    ]);
    expect((await ask(api, {})).some((event) => event.includes("[DONE]"))).toBe(false);
  });

  test(`an error in a stream of ${api} has the shape of that API`, async () => {
    const errorEvent = { after: 2, error: { code: "overloaded" } };
    expect((await ask(api, { errorEvent })).at(-1)).toBe(apis[api].error);
  });

  test(`a script's usage replaces the usage of ${api}`, async () => {
    const events = await ask(api, { usageText: `{"scripted":1e3}` });
    expect(events.join("\n")).toContain(`{"scripted":1e3}`);
    expect((await ask(api, { usage: false })).join("\n")).not.toContain(`"output_tokens":40`);
  });
}

test("refusals have the shape of their API, and name its own status words", async () => {
  const post = async (path: string, body: object): Promise<unknown> => {
    const answer = await fetch(upstream.url + path, { method: "POST", body: JSON.stringify(body) });
    return await answer.json();
  };
  expect(await post("/v1/messages", { model: "m", messages })).toMatchObject({
    type: "error",
    error: { type: "authentication_error" },
  });
  expect(await post("/v1beta/models/m:generateContent?key=k", {})).toMatchObject({
    error: { code: 400, status: "INVALID_ARGUMENT" },
  });
  expect(await post("/v1/responses", {})).toMatchObject({
    error: { type: "invalid_request_error" },
  });
});

test("an output limit ends an answer of each API with the word for it", async () => {
  const read = async (path: string, body: object): Promise<string> => {
    const headers = { authorization: "Bearer k" };
    const text = JSON.stringify({ model: "demo-fast", ...body });
    const answer = await fetch(upstream.url + path, { method: "POST", headers, body: text });
    return await answer.text();
  };
  expect(await read("/v1/messages", { messages, max_tokens: 3 })).toContain(
    `"stop_reason":"max_tokens"`,
  );
  expect(await read("/v1/responses", { input: "hello", max_output_tokens: 3 })).toContain(
    `"incomplete_details":{"reason":"max_output_tokens"}`,
  );
  const contents = apis.gemini.body.contents;
  const generationConfig = { maxOutputTokens: 3 };
  const path = "/v1beta/models/demo-fast:generateContent";
  expect(await read(path, { contents, generationConfig })).toContain(`"finishReason":"MAX_TOKENS"`);
});
