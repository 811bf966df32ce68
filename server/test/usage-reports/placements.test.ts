import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Usage } from "#canonical/usage.ts";
import { placements } from "./placements.ts";
import { type ClientId, openScene } from "./scene.ts";
import { type SpelledFormat, spellings, streamOf } from "./spellings.ts";

let scene: Awaited<ReturnType<typeof openScene>>;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(async () => await scene.stop());

function counts(usage: Usage | undefined) {
  return [usage?.input, usage?.cacheRead, usage?.output];
}

/** The clients to whom the answer is passed on, and for whom it is translated. */
const clientsOf = {
  "anthropic-messages": ["anthropic-messages", "openai-chat"],
  "gemini-generate": ["gemini-generate", "openai-chat"],
  "openai-chat": ["openai-chat", "anthropic-messages"],
  "openai-responses": ["openai-responses", "gemini-generate"],
} as const satisfies Record<SpelledFormat, readonly ClientId[]>;

// Safe cast: these are the keys of the object.
for (const format of Object.keys(spellings) as SpelledFormat[]) {
  const { stream, usage } = spellings[format];
  for (const client of clientsOf[format]) {
    for (const { name, first, last, isPlain } of placements) {
      // Messages has no total, so none of its reports is whole.
      if (format === "anthropic-messages" && (last?.hasTotal ?? false)) continue;

      test(`${format} for clients of ${client}: ${name}: each token is charged once`, async () => {
        const reports = [first, last].map((said) => (said === null ? null : usage(said)));
        const events = stream(reports[0] ?? null, reports[1] ?? null);
        const { log } = await scene.call(format, client, streamOf(events), true);

        expect(counts(log?.usage)).toEqual(
          isPlain === true ? [3_600, 0, 141] : [1_000, 2_600, 141],
        );
        expect(log?.usageSource).toBe("upstream");
      });
    }
  }
}
