/**
 * Two users of one channel with one key: what an answer gave to one of them, the other may not name.
 */

import { afterEach, expect, test } from "bun:test";
import { type Body, openNamingRelay, user } from "./testing/named.ts";
import { testUser } from "./testing/relay.ts";

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
