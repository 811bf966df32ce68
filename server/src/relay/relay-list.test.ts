/** Streams of Gemini's clients that do not ask for events: one JSON list, element by element. */

import { afterEach, expect, test } from "bun:test";
import { type Answerer, startUpstream } from "#network/testing/upstream.ts";
import { eventually } from "#base/testing/waiting.ts";
import { gemini } from "#providers/gemini.ts";
import { openai } from "#providers/openai.ts";
import type { Provider } from "#providers/provider.ts";
import { openTestRelay, testChannel, testKey, type TestRelay } from "./testing/relay.ts";
import { event, finish, role, streamHead, usageEvent, words } from "./testing/stream.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const path = "/v1beta/models/m:streamGenerateContent";

const candidate = (text: string, end: object = {}): object => ({
  candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, ...end }],
});
const last = {
  ...candidate(" there!", { finishReason: "STOP" }),
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
};

/** The same answer as two kinds of upstream send it. */
const upstreams = {
  "the same format": {
    provider: gemini,
    begin: event(candidate("Hello")),
    rest: event(last).replaceAll("\n", "\r\n"),
  },
  "another format": {
    provider: openai,
    begin: role + words("Hello"),
    rest: `${words(" there!")}${finish}${usageEvent}data: [DONE]\n\n`,
  },
} as const satisfies Record<string, { provider: Provider; begin: string; rest: string }>;

async function open(provider: Provider, answerer: Answerer): Promise<TestRelay> {
  const upstream = await startUpstream(answerer);
  const relay = openTestRelay({ channels: [testChannel({ baseUrl: upstream.url, provider })] });
  stops.push(relay.stop, upstream.stop);
  return relay;
}

async function call(relay: TestRelay, query: string, key = testKey): Promise<Response> {
  return await fetch(`${relay.url}${path}${query}`, {
    method: "POST",
    headers: { "x-goog-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ contents: [{ role: "user", parts: [{ text: "hi" }] }] }),
  });
}

type Element = {
  readonly candidates?: readonly { readonly content?: { readonly parts: readonly Part[] } }[];
  readonly error?: { readonly code: number; readonly message: string; readonly status: string };
};
type Part = { readonly text: string };

/** Reads a list as the client does, which throws unless it is closed. */
function listOf(text: string): readonly Element[] {
  const list = JSON.parse(text) as readonly Element[];
  expect(Array.isArray(list)).toBe(true);
  return list;
}

function textOf(elements: readonly Element[]): string {
  const parts = elements.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  return parts.map(({ text }) => text).join("");
}

for (const [name, { provider, begin, rest }] of Object.entries(upstreams)) {
  test(`a stream from an upstream of ${name} is one list, charged like its events`, async () => {
    const relay = await open(provider, (socket) => socket.end(streamHead + begin + rest));
    const events = await call(relay, "?alt=sse");
    expect(await events.text()).toStartWith("data: {");

    for (const query of ["", "?alt=json", "?%24alt=json%3Benum-encoding%3Dint"]) {
      const response = await call(relay, query);
      expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
      expect(textOf(listOf(await response.text()))).toBe("Hello there!");
    }
    const charges = relay.money.settled.map(({ charge }) => charge);
    expect(charges).toEqual([60, 60, 60, 60]);
  });

  test(`elements from an upstream of ${name} arrive one by one`, async () => {
    let finishNow = (): void => {};
    const relay = await open(provider, (socket) => {
      socket.write(streamHead + begin);
      finishNow = () => socket.end(rest);
    });
    const response = await call(relay, "");
    let text = "";
    const reading = (async () => {
      for await (const piece of response.body ?? []) text += Buffer.from(piece).toString();
    })();
    await eventually(() => text.includes("Hello"));
    expect(textOf(listOf(`${text}]`))).toBe("Hello");
    finishNow();
    await reading;
    expect(textOf(listOf(text))).toBe("Hello there!");
  });

  test(`a list from an upstream of ${name} that breaks off ends with an error and is closed`, async () => {
    const relay = await open(provider, (socket) => {
      socket.write(streamHead + begin);
      setImmediate(() => socket.destroy());
    });
    const elements = listOf(await (await call(relay, "")).text());

    expect(textOf(elements)).toBe("Hello");
    expect(elements.at(-1)?.error?.status).toBeDefined();
    expect(relay.money.settled).toHaveLength(1);
  });

  test(`what an upstream of ${name} refuses is a list of one error`, async () => {
    const body = JSON.stringify({ error: { code: 400, message: "no such field", status: "BAD" } });
    const relay = await open(provider, (socket) =>
      socket.end(
        `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      ),
    );
    const response = await call(relay, "");
    const elements = listOf(await response.text());

    expect([response.status, elements.length]).toEqual([400, 1]);
    expect(elements[0]?.error?.message).toContain("no such field");
    expect(relay.money.settled).toEqual([]);
  });
}

test("a wrong key is a list of one error where a list was asked for, else one error", async () => {
  const relay = await open(gemini, (socket) => socket.destroy());
  const listed = await call(relay, "", "sk-wrong");
  const plain = await call(relay, "?alt=sse", "sk-wrong");

  expect([listed.status, plain.status]).toEqual([401, 401]);
  expect(listOf(await listed.text())[0]?.error?.code).toBe(401);
  expect(((await plain.json()) as Element).error?.code).toBe(401);
});
