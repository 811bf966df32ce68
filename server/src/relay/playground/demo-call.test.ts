import { afterEach, expect, test } from "bun:test";
import { demoQuestionMax } from "@tollgate/contract/endpoints/demo-calls.ts";
import { openDemoCall } from "./demo-call.ts";
import { testChannel, testSnapshot, testToken } from "#relay/testing/relay.ts";
import { type PageCalls, servePageCalls } from "#relay/testing/page-calls.ts";
import { jsonAnswer } from "#network/testing/upstream.ts";

const answer = jsonAnswer(
  '{"choices":[{"message":{"content":"hi"}}],"usage":{"prompt_tokens":3,"completion_tokens":5}}',
);

let opened: PageCalls | undefined;
afterEach(async () => await opened?.stop());

async function open(key: string | null = "sk-good") {
  const channels = (baseUrl: string) => [testChannel({ baseUrl, models: new Set(["demo-chat"]) })];
  const { send, ...served } = await servePageCalls(channels, answer, (shared) => {
    const { takes, answer: answerCall } = openDemoCall({
      ...shared,
      snapshot: {
        ...testSnapshot(shared),
        findToken: (lookup) => (lookup === "hash of good" ? testToken : undefined),
      },
      lookupOf: (plain) => `hash of ${plain}`,
      hashedLookupOf: (plain) => `hash of hash of ${plain}`,
      adoptKey: () => {},
      markToken: () => {},
      now: Date.now,
      key: () => key,
    });
    return async (request, ...rest) => {
      expect(takes(request)).toBe(true);
      await answerCall(request, ...rest);
    };
  });
  opened = { send, ...served };
  return {
    ...served,
    send: async (body: unknown = { content: "hi" }, headers: Record<string, string> = {}) => {
      const { error, ...sent } = await send("/api/demo/call", body, headers);
      return { ...sent, code: error?.code };
    },
  };
}

test("a visitor chooses the question and nothing else", async () => {
  const { send, requests } = await open();
  await send({ content: " hi ", model: "dear", max_tokens: 9_000, user: "demo:{}", n: 8 });
  expect(JSON.parse(requests[0]?.split("\r\n\r\n")[1] ?? "")).toMatchObject({
    model: "demo-chat",
    max_tokens: 100,
    messages: [{ role: "user", content: "hi" }],
  });
  expect(requests[0]).not.toContain("demo:{}");
  expect(requests[0]).not.toContain('"n"');
});

test("one address may make 10 calls in a minute, all visitors together 60", async () => {
  const { send, comeFrom } = await open();
  const statuses: number[] = [];
  for (let call = 0; call < 10; call += 1) statuses.push((await send()).status);
  expect(statuses).not.toContain(429);
  const refused = await send();
  expect([refused.status, refused.code]).toEqual([429, "rate_limited"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);

  let passed = 10;
  for (let address = 1; address <= 60; address += 1) {
    comeFrom(`198.51.100.${address}`);
    if ((await send()).status !== 429) passed += 1;
  }
  expect(passed).toBe(60);
});

test("what is no question, and what no page of ours has sent, is refused and holds nothing", async () => {
  const { send, requests, money } = await open();
  for (const body of [
    "",
    "[]",
    "{}",
    { content: "  " },
    { content: 7 },
    { content: "x".repeat(demoQuestionMax + 1) },
  ]) {
    expect((await send(body)).code).toBe("invalid_question");
  }
  expect((await send({ content: "hi" }, { "content-type": "text/plain" })).status).toBe(415);
  expect((await send({ content: "hi" }, { origin: "https://evil.test" })).status).toBe(403);
  expect([requests.length, money.held]).toEqual([0, 0]);
});

test("a demo whose account is not ready, or whose key is gone, says so", async () => {
  const { send } = await open(null);
  expect((await send()).code).toBe("demo_not_ready");
  await opened?.stop();
  const gone = await open("sk-gone");
  expect((await gone.send()).status).toBe(401);
});
