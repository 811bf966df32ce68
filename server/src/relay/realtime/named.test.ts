import { expect, test } from "bun:test";
import { formats, type LiveFormatId } from "#formats/registry.ts";
import type { LiveFormat } from "#formats/live.ts";
import { testChannel } from "#relay/testing/relay.ts";
import { judgeNames } from "./named.ts";

const models = { client: "m", upstream: "n", mayTranscribe: () => true };
const baseUrl = "http://127.0.0.1:9";

function judge(id: LiveFormatId, message: object, sharesIds: boolean) {
  const { live }: { readonly live: LiveFormat } = formats[id].client;
  const reading = { reader: live.openReader(models), readNames: live.readNames };
  const tried = [testChannel({ baseUrl, sharesIds })];
  return judgeNames({ tried }, Buffer.from(JSON.stringify(message)), reading);
}

test("a message names nothing that others keep at the upstream, unless the channel's ids are shared", () => {
  const stored = { type: "session.update", session: { prompt: { id: "pmpt_1" } } };
  expect(judge("openai-realtime", stored, true)).toBeNull();
  expect(judge("openai-realtime", stored, false)).toMatchObject({
    kind: "refused",
    ends: false,
    error: { param: "prompt" },
  });

  const cached = { setup: { model: "models/m", cachedContent: "cachedContents/1" } };
  expect(judge("gemini-live", cached, true)).toBeNull();
  // Only a close can tell Gemini's clients.
  expect(judge("gemini-live", cached, false)).toMatchObject({ kind: "refused", ends: true });
});

test("what has no such name passes", () => {
  const plain = { type: "response.create", response: { instructions: "Be brief." } };
  expect(judge("openai-realtime", plain, false)).toBeNull();
});
