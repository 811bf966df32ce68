import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Usage } from "#canonical/usage.ts";
import { startUpstream } from "#network/testing/upstream.ts";
import { openTestRelay, testChannel, testKey } from "#relay/testing/relay.ts";
import { placements } from "./placements.ts";
import { type SpelledFormat, spellings, streamOf } from "./spellings.ts";

let upstream: Awaited<ReturnType<typeof startUpstream>>;
let answer = "";
beforeAll(async () => {
  upstream = await startUpstream((socket) => socket.end(answer));
});
afterAll(async () => await upstream.stop());

const question = [{ role: "user", content: "hi" }];
const bodies: Readonly<Record<string, object>> = {
  "/v1/messages": { model: "m", max_tokens: 5_000, messages: question },
  "/v1/chat/completions": {
    model: "m",
    max_tokens: 5_000,
    messages: question,
    stream_options: { include_usage: true },
  },
  "/v1/responses": { model: "m", max_output_tokens: 5_000, input: "hi" },
  "/v1beta/models/m:streamGenerateContent?alt=sse": {
    contents: [{ role: "user", parts: [{ text: "hi" }] }],
  },
};

/** Returns what a streamed call is charged for. */
async function charged(format: SpelledFormat, path: string, stream: string) {
  answer = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: ${Buffer.byteLength(stream)}\r\n\r\n${stream}`;
  const { provider } = spellings[format];
  const spoken = { ...provider, formats: { [format]: provider.formats[format] } };
  const relay = openTestRelay({
    channels: [testChannel({ baseUrl: upstream.url, provider: spoken })],
  });
  const sent = await fetch(relay.url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${testKey}`, "content-type": "application/json" },
    body: JSON.stringify({ ...bodies[path], stream: true }),
  });
  await sent.text();
  const [settled] = relay.money.settled;
  await relay.stop();
  return settled?.log;
}

function counts(usage: Usage | undefined) {
  return [usage?.input, usage?.cacheRead, usage?.output];
}

// Safe cast: these are the keys of the object.
for (const format of Object.keys(spellings) as SpelledFormat[]) {
  const { paths, stream, usage } = spellings[format];
  for (const path of paths) {
    for (const { name, first, last, isPlain } of placements) {
      // Messages has no total, so none of its reports is whole.
      if (format === "anthropic-messages" && (last?.hasTotal ?? false)) continue;

      test(`${format} for clients at ${path}: ${name}: each token is charged once`, async () => {
        const reports = [first, last].map((said) => (said === null ? null : usage(said)));
        const log = await charged(
          format,
          path,
          streamOf(stream(reports[0] ?? null, reports[1] ?? null)),
        );

        expect(counts(log?.usage)).toEqual(
          isPlain === true ? [3_600, 0, 141] : [1_000, 2_600, 141],
        );
        expect(log?.usageSource).toBe("upstream");
      });
    }
  }
}
