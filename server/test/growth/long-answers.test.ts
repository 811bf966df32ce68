/** A long answer that has to be translated is read on another thread, and is the same. */

import { afterAll, expect, test } from "bun:test";
import type { Json } from "#base/json.ts";
import { gemini } from "#providers/gemini.ts";
import { asReadHere, type ApartAnswer, parsedHereMax, readApart } from "#relay/ways/apart.ts";
import type { BadAnswer, WholeAnswer } from "#relay/ways/way.ts";
import { testChannel } from "#relay/testing/relay.ts";
import { translatedClientIds } from "#test/recordings/played.ts";
import { startAnswersWorker } from "#threads.ts";
import { openAnswerThread } from "#workers/answers-client.ts";
import { answerSamples } from "./answer-samples.ts";
import { slowness } from "./slowness.ts";
import { turnMs } from "./turn-limits.ts";
import { bytesOf, send, upstreamsFor } from "./whole-answers.ts";

const thread = openAnswerThread(startAnswersWorker);
afterAll(thread.close);

/** What an answer is to whoever bills it and sends it on. */
function seen(read: BadAnswer | WholeAnswer) {
  if (read.kind === "bad") return read;
  const { readOutput, ...metered } = read.metered;
  const { bytes, mediaType } = read;
  return {
    text: new TextDecoder().decode(bytes),
    mediaType,
    metered: { ...metered },
    output: readOutput(),
  };
}

const here = (answer: ApartAnswer) =>
  asReadHere(structuredClone(answer), testChannel({ baseUrl: "http://127.0.0.1:1" }));

for (const client of translatedClientIds) {
  test(`an answer in any format is the same to ${client} when another thread has read it`, () => {
    for (const upstream of upstreamsFor(client)) {
      const call = send(client, upstream);
      const answers = [answerSamples[upstream].whole, { error: { message: "no" } }, []].map(
        bytesOf,
      );
      for (const answer of [...answers, new Uint8Array()]) {
        const question = structuredClone(call.ask(answer));
        const read = readApart(question, call.provider);

        expect(call.isParsed(answer)).toBe(true);
        expect(seen(here(read))).toEqual(seen(call.readHere(answer)));
      }
    }
  });
}

const megabyte = 1024 * 1024;

/** Answers of which a turn of the relaying thread would not be enough to read them. */
const longAnswers: Readonly<Record<string, (sample: Json) => Json>> = {
  "a picture of 48 MB": () => picture(48 * megabyte),
  "60 MB of text": () =>
    spoken([{ text: "words that a model writes ".repeat((60 * megabyte) / 26) }]),
  "16 MB of small values": () => spoken(Array.from({ length: megabyte }, () => ({ text: "ab" }))),
};

const spoken = (parts: Json): Json => ({
  candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
});

const picture = (bytes: number): Json =>
  spoken([{ inlineData: { mimeType: "image/png", data: "iVBORw0K".repeat(bytes / 8) } }]);

for (const [name, make] of Object.entries(longAnswers)) {
  test(`${name} takes the relaying thread less than one turn of it may`, async () => {
    const call = send("anthropic-messages", "gemini-generate", gemini);
    const question = call.ask(bytesOf(make(null)));
    expect(question.answer.length).toBeGreaterThan(parsedHereMax);
    Bun.gc(true);
    const before = process.threadCpuUsage();
    const read = await thread.read(question);
    const { user, system } = process.threadCpuUsage(before);

    expect(read?.kind).toBe("whole");
    expect((user + system) / 1_000 / slowness()).toBeLessThan(turnMs);
  }, 120_000);
}
