/** What a client is told, what the row says and what is charged is one figure. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { openSseReader } from "#base/sse.ts";
import { inputOf, outputOf } from "#canonical/usage.ts";
import { formats } from "#formats/registry.ts";
import { objectOf, parseJson } from "#formats/shared/read-json.ts";
import { type ClientId, clientIds, openScene } from "./scene.ts";
import { type Said, type SpelledFormat, spellings, streamOf } from "./spellings.ts";

let scene: Awaited<ReturnType<typeof openScene>>;
beforeAll(async () => {
  scene = await openScene();
});
afterAll(async () => await scene.stop());

/** Returns the last usage that a client finds in an event or an answer. */
function usageIn(text: string): unknown {
  const body = objectOf(parseJson(text));
  const answer = body["response"] === undefined ? body : objectOf(body["response"]);
  return objectOf(body["message"])["usage"] ?? answer["usage"] ?? answer["usageMetadata"];
}

/** Reads the tokens as clients do: the last that are told count, the field of an SDK by the field. */
function toldIn(client: ClientId, text: string, isStream: boolean): readonly number[] {
  const { readUsage } = formats[client].upstream;
  const reader = openSseReader();
  const events = isStream
    ? [...reader.push(Buffer.from(text)), ...reader.end()].map(({ data }) => data)
    : [text];
  const found = events.map(usageIn).filter((usage) => usage !== undefined && usage !== null);
  const told =
    client === "anthropic-messages"
      ? readUsage(Object.assign({}, ...found))
      : readUsage(found.at(-1));
  if (told.kind !== "ok") throw new Error(`${client} is told ${JSON.stringify(told)}`);
  return [inputOf(told.usage), outputOf(told.usage)];
}

/** Reports that leave something open, and what of them is believed. */
const reports: readonly (readonly [name: string, first: Said | null, last: Said | null])[] = [
  ["zeros beside text", null, { fresh: 0, output: 0 }],
  ["no report", null, null],
  ["a prompt of 0", null, { fresh: 0, output: 141 }],
  ["no prompt", null, { output: 141 }],
  ["no output", null, { fresh: 3_600, output: 0 }],
  ["a report that ends with zeros", { fresh: 3_600, output: 1 }, { fresh: 0, output: 0 }],
  ["a prompt that ends as zero", { fresh: 3_600, output: 1 }, { fresh: 0, output: 141 }],
  ["impossible counts", null, { fresh: 3_600, output: 9_999_999 }],
];

// Safe cast: these are the keys of the object.
for (const format of Object.keys(spellings) as SpelledFormat[]) {
  const { stream, usage, whole } = spellings[format];
  for (const client of clientIds) {
    for (const [name, first, last] of reports) {
      const [begun, done] = [first, last].map((said) => (said === null ? null : usage(said)));
      test(`${format} for clients of ${client}: ${name}: told is what is charged, streamed`, async () => {
        const events = streamOf(stream(begun ?? null, done ?? null));
        const { log, text } = await scene.call(format, client, events, true);

        if (log === undefined) throw new Error("the call was not charged");
        const charged = [inputOf(log.usage), outputOf(log.usage)];
        expect(Math.min(...charged)).toBeGreaterThan(0);
        expect(toldIn(client, text, true)).toEqual(charged);
      });
      if (first !== null) continue;

      test(`${format} for clients of ${client}: ${name}: told is what is charged, whole`, async () => {
        const body = JSON.stringify(whole(done ?? null));
        const { log, text } = await scene.call(format, client, body, false);

        if (log === undefined) throw new Error("the call was not charged");
        const charged = [inputOf(log.usage), outputOf(log.usage)];
        expect(Math.min(...charged)).toBeGreaterThan(0);
        expect(toldIn(client, text, false)).toEqual(charged);
      });
    }
  }
}

// Safe cast: these are the keys of the object.
for (const format of Object.keys(spellings) as SpelledFormat[]) {
  if (format === "openai-responses") continue; // passed on, its events tell what the upstream said
  const { stream, usage } = spellings[format];

  test(`${format} for clients of openai-responses: the event that ends a stream which broke off tells what is charged`, async () => {
    const all = stream(usage({ fresh: 3_600, output: 1 }), null);
    const events = all.slice(
      0,
      all.findIndex((event) => JSON.stringify(event).includes("word")) + 1,
    );
    const { log, text } = await scene.call(format, "openai-responses", streamOf(events), true);

    if (log === undefined) throw new Error("the call was not charged");
    expect(text).toContain("response.failed");
    expect(toldIn("openai-responses", text, true)).toEqual([
      inputOf(log.usage),
      outputOf(log.usage),
    ]);
  });
}
