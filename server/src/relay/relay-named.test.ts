/**
 * Two users of one channel with one key: what an answer gave to one of them, the other may not name.
 */

import { afterEach, expect, test } from "bun:test";
import { type Body, openNamingRelay, user } from "./testing/named.ts";
import { testKey, testUser } from "./testing/relay.ts";
import { drainMsMax } from "./call/client-disconnect.ts";
import { eventually } from "#base/testing/waiting.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

async function open(change: { readonly sharesIds?: boolean } = {}) {
  const opened = await openNamingRelay(change);
  stops.push(opened.stop);
  return opened;
}

/** Requests that name what another user was given, by path; `given` says which call gives it. */
const givenCases: readonly (readonly [name: string, path: string, first: Body, later: Body])[] = [
  [
    "previous_response_id",
    "/v1/responses",
    { model: "m", input: "hi" },
    { previous_response_id: "resp_1" },
  ],
  [
    "item_reference",
    "/v1/responses",
    { model: "m", input: "hi" },
    { input: [{ type: "item_reference", id: "msg_1" }, user("hi")] },
  ],
  [
    "an item reference without a type",
    "/v1/responses",
    { model: "m", input: "hi" },
    { input: [{ id: "rs_1" }, user("hi")] },
  ],
  [
    "reasoning by its id alone",
    "/v1/responses",
    { model: "m", input: "hi" },
    { input: [{ type: "reasoning", id: "rs_1", summary: [] }, user("hi")] },
  ],
  [
    "the container of code",
    "/v1/responses",
    { model: "m", input: "hi" },
    { input: "hi", tools: [{ type: "code_interpreter", container: "cntr_1" }] },
  ],
  [
    "an id with escapes",
    "/v1/responses",
    { model: "m", input: "hi" },
    { input: [{ type: "item_r\\u0065ference", "\\u0069d": "msg\\u005f1" }, user("hi")] },
  ],
  [
    "container",
    "/v1/messages",
    { model: "demo-fast", max_tokens: 9, messages: [user("hi")] },
    { container: "container_1" },
  ],
  [
    "container with skills",
    "/v1/messages",
    { model: "demo-fast", max_tokens: 9, messages: [user("hi")] },
    { container: { id: "container_1", skills: [{ type: "anthropic", skill_id: "pptx" }] } },
  ],
  [
    "audio.id",
    "/v1/chat/completions",
    { model: "m", messages: [user("hi")] },
    { messages: [{ role: "assistant", audio: { id: "audio_1" } }, user("hi")] },
  ],
];

for (const stream of [false, true]) {
  for (const [name, path, first, later] of givenCases) {
    const words = stream ? "streamed" : "whole";
    test(`what an answer gave one user, another may not name: ${name}, ${words}`, async () => {
      const { ask, relay, upstream } = await open();
      const again = { ...first, ...later, stream };
      const early = await ask(testUser.id, path, again);
      expect([early.status, upstream.requests.length]).toEqual([400, 0]);
      expect(early.text).toContain("Send the content itself in the request instead");
      expect(early.text).toContain("Ids are shared");

      expect((await ask(testUser.id, path, { ...first, stream })).status).toBe(200);
      const count = upstream.requests.length;
      expect((await ask(8, path, again)).status).toBe(400);
      expect(upstream.requests.length).toBe(count);
      expect((await ask(testUser.id, path, again)).status).toBe(200);
      const { given } = relay.money.settled[0]?.log ?? {};
      expect(given?.marks.length).toBeGreaterThan(0);
    });
  }
}

const call = { id: "ci_1", type: "code_interpreter_call", container_id: "cntr_1", code: "1+1" };
const answered = [
  call,
  {
    type: "shell_call",
    id: "sh_1",
    call_id: "c",
    status: "completed",
    action: { commands: ["ls"] },
    environment: { type: "container_reference", container_id: "cntr_1" },
  },
  {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [{ type: "output_text", text: "2" }],
  },
];

test("a conversation with a container that comes back whole goes on at other channels", async () => {
  const { ask, upstream } = await open();
  const echo = [user("hi"), ...answered.slice(0, 1), ...answered.slice(2), user("and 2+2?")];
  const path = "/v1/responses";
  // Nothing is known of it, but to another format the ids are nothing.
  expect((await ask(testUser.id, path, { model: "demo-fast", input: echo })).status).toBe(200);
  expect(upstream.requests.at(-1)).not.toContain("cntr_1");

  expect((await ask(testUser.id, path, { model: "m", input: "hi" })).status).toBe(200);
  for (const model of ["demo-fast", "m", "long"]) {
    const { status, text } = await ask(testUser.id, path, { model, input: echo });
    expect([model, status, status === 200 ? "" : text]).toEqual([model, 200, ""]);
  }
});

test("where an upstream would open a container, its id opens it only to its user", async () => {
  const { ask, upstream } = await open();
  const path = "/v1/responses";
  const own = { model: "m", input: "hi" };
  expect((await ask(testUser.id, path, own)).status).toBe(200);
  const count = upstream.requests.length;
  for (const item of answered.slice(0, 2)) {
    const { id: _, ...unnamed } = item;
    const body = { model: "m", input: [user("hi"), unnamed, user("go on")] };
    expect((await ask(8, path, body)).status).toBe(400);
  }
  const tool = { type: "code_interpreter", container: "cntr_1" };
  const shell = {
    type: "shell",
    environment: { type: "container_reference", container_id: "cntr_1" },
  };
  for (const model of ["m", "long", "demo-fast"]) {
    for (const each of [tool, shell]) {
      expect((await ask(8, path, { model, input: [call], tools: [each] })).status).toBe(400);
    }
  }
  expect(upstream.requests.length).toBe(count);
  // Another account does not have it, even if it is the user's own.
  expect((await ask(testUser.id, path, { ...own, model: "long", tools: [tool] })).status).toBe(400);
  expect((await ask(testUser.id, path, { ...own, tools: [tool] })).status).toBe(200);
});

const afterCut: readonly Body[] = [
  { input: "go on", previous_response_id: "resp_1" },
  { input: "go on", tools: [{ type: "code_interpreter", container: "cntr_1" }] },
  {
    input: "go on",
    tools: [
      { type: "shell", environment: { type: "container_reference", container_id: "cntr_2" } },
    ],
  },
  { input: [{ type: "item_reference", id: "ci_1" }, user("go on")] },
];

for (const [name, input] of [
  ["breaks off", "and break off"],
  ["takes long for a client that leaves", "and take long"],
] as const) {
  test(`what a stream gave that ${name} is its user's, and nobody else's`, async () => {
    const { ask, relay } = await open();
    const path = "/v1/responses";
    relay.callers.user = { id: testUser.id };
    const leaving = new AbortController();
    const answer = await fetch(`${relay.url}${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${testKey}` },
      body: JSON.stringify({ model: "m", input, stream: true, background: true }),
      signal: leaving.signal,
    });
    const reader = answer.body?.getReader();
    let text = "";
    while (!text.includes("output_text.delta")) {
      text += new TextDecoder().decode((await reader?.read())?.value);
    }
    // The id is the user's before the gateway knows that the client has left, or has read on.
    for (const each of afterCut.slice(0, 1)) {
      expect((await ask(8, path, { model: "m", ...each })).status).toBe(400);
      expect((await ask(testUser.id, path, { model: "m", ...each })).status).toBe(200);
    }
    const cut = () => relay.money.settled.find(({ log }) => log.interrupted !== "");
    leaving.abort();
    await eventually(() => {
      relay.skipMs += drainMsMax;
      return cut() !== undefined;
    });
    expect(cut()?.log.given?.marks.toSorted()).toEqual(["ci_1", "cntr_1", "cntr_2", "resp_1"]);
    for (const each of afterCut) {
      expect((await ask(8, path, { model: "m", ...each })).status).toBe(400);
      expect((await ask(testUser.id, path, { model: "m", ...each })).status).toBe(200);
    }
  });
}
