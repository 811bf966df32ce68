/** Files that some upstreams read by their names in texts nobody may name so, either. */

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

const asked = user("What does it say?");
const texts: readonly (readonly [name: string, path: string, body: (text: string) => Body])[] = [
  [
    "a system message",
    "/v1/chat/completions",
    (text) => ({ messages: [{ role: "system", content: text }, asked] }),
  ],
  [
    "a part of a system message",
    "/v1/chat/completions",
    (text) => ({ messages: [{ role: "system", content: [{ type: "text", text }] }, asked] }),
  ],
  ["system", "/v1/messages", (text) => ({ max_tokens: 9, system: text, messages: [asked] })],
  ["instructions", "/v1/responses", (text) => ({ instructions: text, input: "hi" })],
  [
    "a developer's message",
    "/v1/responses",
    (text) => ({ input: [{ role: "developer", content: [{ type: "input_text", text }] }, asked] }),
  ],
  [
    "systemInstruction",
    "/v1beta/models/tiered:generateContent",
    (text) => ({
      systemInstruction: { parts: [{ text }] },
      contents: [{ parts: [{ text: "x" }] }],
    }),
  ],
];

for (const [name, path, bodyOf] of texts) {
  test(`a file that Alibaba reads by its name in a text is refused: ${name} at ${path}`, async () => {
    const { ask, upstream } = await open();
    const names = ["fileid://file-fe-1", "fileid:\\/\\/file-fe-1", "\\u0066ileid://file-fe-1"];
    for (const text of names) {
      const { status, text: said } = await ask(testUser.id, path, {
        ...bodyOf(text),
        model: "tiered",
      });
      expect([text, status, upstream.requests.length]).toEqual([text, 400, 0]);
      expect(said).toContain("Ids are shared");
    }
    await ask(testUser.id, path, { ...bodyOf("file-fe-1, fileid: 1, \\u00e9"), model: "tiered" });
    expect(upstream.requests.length).toBe(1);

    const shared = await open({ sharesIds: true });
    await shared.ask(testUser.id, path, { ...bodyOf("fileid://file-fe-1"), model: "tiered" });
    expect(shared.upstream.requests.length).toBe(1);
  });
}

test("the name of a file in a text means nothing to others, nor in what the user says", async () => {
  const { ask } = await open();
  const path = "/v1/chat/completions";
  const system = { messages: [{ role: "system", content: "fileid://file-fe-1" }, asked] };
  expect((await ask(testUser.id, path, { ...system, model: "m" })).status).toBe(200);
  const said = { messages: [user("What is fileid://file-fe-1?")], model: "tiered" };
  expect((await ask(testUser.id, path, said)).status).toBe(200);
});
