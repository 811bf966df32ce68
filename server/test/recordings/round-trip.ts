/** Writes an answer in a client format, reads it back and compares what a client sees. */

import { openSseReader } from "#base/sse.ts";
import { type Answer, foldAnswer } from "#canonical/answer.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import { inputOf, outputOf } from "#canonical/usage.ts";
import { answerReasoning, answerText, sortedJson } from "#formats/testing/play.ts";
import { argsJson } from "#formats/shared/tool-args.ts";
import { streamRules } from "#formats/testing/stream-rules.ts";
import { type TranslatedFormatId, translations } from "#formats/translation-registry.ts";
import { asked } from "./next-turn.ts";

/** What a client sees of an answer, in whatever format. */
function seen(answer: Answer, format: TranslatedFormatId) {
  const calls = answer.items.flatMap((item) => (item.type === "tool-call" ? [item] : []));
  const refusal = answer.items
    .flatMap((item) => (item.type === "message" ? item.parts : []))
    .map((part) => (part.type === "refusal" ? part.text : ""))
    .join("");
  return {
    // Formats without refusals carry them as text, and Messages carries pictures as Markdown.
    text: (answerText(answer) + refusal).replaceAll(/!\[image\]\([^)]*\)/g, "").trim(),
    reasoning: answerReasoning(answer),
    calls: calls.map(({ callId, name, argsText, form }) => ({
      callId,
      name,
      args: form === "json" ? sortedJson(argsText) : sortedJson(argsJson({ argsText, form })),
    })),
    input: answer.usage === null ? 0 : inputOf(answer.usage),
    output: answer.usage === null ? 0 : outputOf(answer.usage),
    cacheRead: answer.usage?.cacheRead ?? 0,
    finish: finishClass(answer, format),
  };
}

/** The ends that all formats can tell apart. */
function finishClass({ finish }: Answer, format: TranslatedFormatId): string {
  const reason = finish?.reason ?? "none";
  if (reason === "context-full") return "length";
  if (reason === "refused" && format === "openai-responses") return reason;
  return reason === "stop-sequence" || reason === "paused" || reason === "other"
    ? "complete"
    : reason;
}

/** Arguments that are no JSON object cannot be carried by formats that have only objects. */
function comparable(given: ReturnType<typeof seen>) {
  const calls = given.calls.map((call) =>
    call.args.startsWith("{")
      ? call
      : { ...call, args: sortedJson(JSON.stringify({ _raw: call.args })) },
  );
  return { ...given, calls };
}

function writeStream(events: readonly CanonicalEvent[], format: keyof typeof streamRules) {
  const writer = translations[format].client.openStreamWriter(asked);
  const text = events.map((event) => writer.write(event)).join("");
  const frames = openSseReader();
  const all = [...frames.push(Buffer.from(text)), ...frames.end()];
  const reader = translations[format].upstream.openReader("again");
  const back = all.flatMap(({ event, data }) => reader.read(event, data));
  return { frames: all, answer: foldAnswer([...back, ...reader.end()]) };
}

function writeWhole(answer: Answer, format: keyof typeof streamRules): Answer {
  const { client, upstream } = translations[format];
  return foldAnswer(upstream.readAnswer(client.writeAnswer(answer, asked), "again"));
}

const counts: ReadonlySet<string> = new Set(["cacheRead", "input", "output"]);

/** Returns what a client of the format does not get of the answer, streamed or whole. */
export function lostIn(
  events: readonly CanonicalEvent[],
  answer: Answer,
  client: keyof typeof streamRules,
): string[] {
  const wanted = comparable(seen(answer, client));
  const streamed = writeStream(events, client);
  const broken = streamRules[client](streamed.frames);
  const readings = [streamed.answer, writeWhole(answer, client)].map((each) =>
    comparable(seen(each, client)),
  );
  // Safe cast: these are the keys of the object.
  const fields = Object.keys(wanted) as (keyof typeof wanted)[];
  // What the upstream left open, clients are told by the gateway.
  const reported = events.find((event) => event.type === "usage");
  const isTold = reported?.report.kind === "ok" && reported.report.untold === undefined;
  const differs = fields.filter(
    (field) =>
      (isTold || !counts.has(field)) &&
      readings.some((reading) => !Bun.deepEquals(reading[field], wanted[field])),
  );
  return [...broken, ...differs];
}
