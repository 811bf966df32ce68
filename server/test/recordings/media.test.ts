/**
 * Reads every recorded answer to what is neither chat nor completions: errors, usage and results
 * must be what the recording is known to contain.
 */

import { expect, test } from "bun:test";
import type { Json } from "#base/json.ts";
import { convertedTo, findConversion } from "#formats/conversion-registry.ts";
import { type ClientFormatId, formats } from "#formats/registry.ts";
import { parseJson } from "#formats/shared/read-json.ts";
import { replay } from "#formats/testing/recordings.ts";
import { meterAnswer } from "#relay/meter/answer-meter.ts";
import { mediaFormatOf, recordings } from "./played.ts";

const requests = {
  embeddings: { model: "m", input: Array.from({ length: 4 }, () => "text") },
  rerank: { model: "m", query: "q", documents: Array.from({ length: 20 }, () => "text") },
};

/** Returns the recorded answer as OpenAI's or Jina's clients get it; null: they speak the format. */
function converted(format: ClientFormatId, body: Json) {
  const [modality, client] = format.includes("rerank")
    ? (["rerank", "rerank"] as const)
    : (["embeddings", "openai-chat"] as const);
  if (!convertedTo(modality, client).includes(format) || format === client) return null;
  const made = findConversion(modality, client, format)?.convert(requests[modality], "m");
  if (made === undefined || "message" in made) throw new Error("no conversion");
  return made.answer(body, { body: requests[modality], model: "m", promptTokens: 1 });
}

/** A recording that has an answer inside another answer, as no server sends it. */
const wrapped = "groq/audio-transcriptions.j.vai.groq-transcription-text";

for (const recording of recordings) {
  const format = mediaFormatOf[recording.surface];
  if (format === undefined || recording.id === wrapped) continue;
  const { expected, id, response } = recording;

  test(`${id}: the answer, its usage and its error are read`, () => {
    const { upstream } = formats[format];
    if (response.body === undefined) return;
    const bytes = replay(recording);
    const body = parseJson(Buffer.from(bytes).toString());
    if (response.status >= 400) {
      expect(upstream.readErrorBody(body)?.message).toContain(
        (expected.error?.message ?? "").slice(0, 100),
      );
      return;
    }
    const metered = meterAnswer(bytes, { format: upstream, readUsage: upstream.readUsage });
    const { total_tokens: total = 0 } = { ...expected.usage_raw };
    const isCounted = typeof total === "number" && total > 0;

    expect([metered.fault, isCounted && metered.usage.kind]).toEqual([
      undefined,
      isCounted && "ok",
    ]);
    if (metered.usage.kind === "ok") expect(metered.usage.totalDiffers).toBe(false);
    const made = body === undefined ? null : converted(format, body);
    // The recordings cut vectors off after 32 numbers, and in base64 within the 33rd.
    const isCut = typeof Object(body).data?.[0]?.embedding === "string";
    if (made === null || isCut) return;
    const order = expected.order?.map((index) => ({ index }));
    if (order !== undefined) expect(made).toMatchObject({ results: order });
    else expect(made).toMatchObject({ data: { length: expected.embeddings } });
  });
}
