/** Calls through a provider that wants a token in place of the key. */

import { afterEach, expect, test } from "bun:test";
import { type Answerer, jsonAnswer, startUpstream } from "#network/testing/upstream.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { openTestRelay, testChannel, testKey } from "#relay/testing/relay.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const answer = JSON.stringify({
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content: "hi" } }],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});

/** A provider whose tokens come from the path `/token` of the same server. */
function tokenProvider(baseUrl: string): Provider {
  return {
    ...openai,
    async sign({ nowMs, url }, tokens) {
      const get = async () =>
        await tokens.get("t", async () => {
          const got = await tokens.postForm(`${baseUrl}/token`, { grant: "yes" });
          if (!got.ok || got.status !== 200) {
            return { kind: "unsigned", reason: "token-refused", message: "no such account" };
          }
          return { kind: "token", token: got.text, expiresMs: nowMs + 3_600_000 };
        });
      // Several at the same moment, as calls that begin together.
      const [token] = await Promise.all([get(), get(), get()]);
      if (token.kind === "unsigned") return token;
      return { kind: "signed", url, headers: { authorization: `Bearer ${token.token}` } };
    },
  };
}

async function open(answerer: Answerer) {
  const upstream = await startUpstream(answerer);
  const provider = tokenProvider(upstream.url);
  const relay = openTestRelay({ channels: [testChannel({ baseUrl: upstream.url, provider })] });
  stops.push(relay.stop, upstream.stop);
  const call = async (): Promise<Response> =>
    await fetch(`${relay.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", messages: [{ role: "user", content: "hi" }] }),
    });
  const sent = (path: string) =>
    upstream.requests.filter((each) => each.startsWith(`POST ${path}`));
  return { call, relay, sent };
}

test("many simultaneous calls share one token, and later calls keep it", async () => {
  let tokens = 0;
  const { call, relay, sent } = await open((socket, request) => {
    if (!request.startsWith("POST /token")) socket.write(jsonAnswer(answer));
    else socket.write(jsonAnswer(`token-${(tokens += 1)}`));
  });
  const all = await Promise.all(Array.from({ length: 20 }, call));
  const last = await call();

  expect([...all, last].map(({ status }) => status)).toEqual(Array.from({ length: 21 }, () => 200));
  expect(sent("/token")).toHaveLength(1);
  expect(sent("/v1/chat/completions").every((each) => each.includes("Bearer token-1"))).toBe(true);
  expect(relay.money.settled).toHaveLength(21);
});

test("a token that the upstream refuses is replaced by the next call", async () => {
  let tokens = 0;
  const { call, sent } = await open((socket, request) => {
    if (request.startsWith("POST /token")) socket.write(jsonAnswer(`token-${(tokens += 1)}`));
    else if (request.includes("token-1")) socket.write(jsonAnswer("{}", "401 Unauthorized"));
    else socket.write(jsonAnswer(answer));
  });
  await call();
  const second = await call();

  expect(second.status).toBe(200);
  expect(sent("/token")).toHaveLength(2);
});

test("a key for which no token is given disables the channel, costs nothing and calls no model", async () => {
  const { call, relay, sent } = await open((socket) =>
    socket.write(jsonAnswer("{}", "400 Bad Request")),
  );
  const response = await call();

  expect(response.status).toBe(503);
  expect(await response.text()).not.toContain("no such account");
  expect(relay.disabled.map(({ reason }) => reason)).toEqual([
    "密钥换取访问令牌时被拒绝：no such account",
  ]);
  expect(relay.money.settled).toEqual([]);
  expect(sent("/v1/chat/completions")).toEqual([]);
  // The refusal is not kept: an administrator may have mended the account.
  await call();
  expect(sent("/token")).toHaveLength(2);
});
