import { afterEach, expect, test } from "bun:test";
import type { Language } from "@tollgate/contract/words/languages.ts";
import { jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { openTestRelay, testChannel, testKey, type TestRelayOptions } from "./testing/relay.ts";
import { streamHead } from "./testing/stream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function open(given: Partial<TestRelayOptions> & { readonly errorLanguage?: Language }) {
  const relay = openTestRelay({ channels: [], ...given });
  stops.push(relay.stop);
  return relay;
}

/** Sends a call with this `Accept-Language` (null: none) and returns the answer's text. */
async function post(
  { url }: { readonly url: string },
  language: string | null,
  body: object = {},
): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${testKey}`,
      "content-type": "application/json",
      ...(language === null ? {} : { "accept-language": language }),
    },
    body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }], ...body }),
  });
  return await response.text();
}

const messageOf = (text: string): string =>
  (/"message":"(.*?) \(request id/.exec(text)?.[1] ?? "").replace(/\d+$/, "");

test("an error is in the language that the request names, and else in the one of the option", async () => {
  const chinese = "当前分组 default 下对于模型 m 无可用渠道";
  const english = "Group default has no available channel for model m";
  for (const [language, inDefault, said] of [
    ["en-US,en;q=0.9", "zh", english],
    ["fr-FR,fr;q=0.9,en;q=0.5", "zh", english],
    ["zh-CN,zh;q=0.9,en;q=0.8", "en", chinese],
    [null, "zh", chinese],
    ["*", "zh", chinese],
    ["fr", "zh", chinese],
    [null, "en", english],
    ["*", "en", english],
  ] as const) {
    const relay = open({ errorLanguage: inDefault });
    expect([language, messageOf(await post(relay, language))]).toEqual([language, said]);
  }
});

test("an English error names amounts in dollars, the Chinese one as one-api's clients know it", async () => {
  const { url: baseUrl, stop } = await startUpstream((socket) => socket.end(jsonAnswer("{}")));
  stops.push(stop);
  const relay = open({ channels: [testChannel({ baseUrl })], balance: 5 });

  expect(messageOf(await post(relay, null))).toStartWith(
    "user quota is not enough, 用户剩余额度: 5, 需要预扣费额度: ",
  );
  expect(messageOf(await post(relay, "en"))).toStartWith(
    "The user's quota is not enough: $0.000010 left, $",
  );
});

test("a failed call and an error event are in the caller's language, the log row is in Chinese", async () => {
  const { url: baseUrl, stop } = await startUpstream((socket, request) => {
    if (request.includes('"stream":true')) {
      socket.end(`${streamHead}data: {"choices":[{"index":0,"delta":{"content":"Hello"}}]}\n\n`);
    } else socket.end(jsonAnswer("<html>"));
  });
  stops.push(stop);
  const relay = open({ channels: [testChannel({ baseUrl })], options: { retryTimes: 0 } });

  expect(messageOf(await post(relay, "en"))).toBe("The upstream's answer could not be understood");
  expect(relay.failures).toMatchObject([{ error: { message: "上游返回了无法识别的响应" } }]);
  expect(messageOf(await post(relay, "en", { stream: true }))).toBe(
    "The upstream broke off; the output is incomplete",
  );
});

test("a model that nobody offers is not found, in each format's own words", async () => {
  const relay = open({});
  const user = { role: "user", content: "hi" };
  const said = "当前分组 default 下对于模型 m 无可用渠道";
  for (const [path, type, body] of [
    ["/v1/chat/completions", "invalid_request_error", { messages: [user] }],
    ["/v1/responses", "invalid_request_error", { input: "hi" }],
    ["/v1/messages", "not_found_error", { messages: [user], max_tokens: 5 }],
    ["/v1beta/models/m:generateContent", "NOT_FOUND", { contents: [{ parts: [{ text: "hi" }] }] }],
  ] as const) {
    const answer = await fetch(`${relay.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", ...body }),
    });
    const text = await answer.text();
    expect([path, answer.status]).toEqual([path, 404]);
    expect(text).toContain(`"${type}"`);
    expect(text).toContain(said);
  }
});
