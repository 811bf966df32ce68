/** T24: readers of streams with a limit for lines end long events early, and say nothing. */

import { expect, test } from "bun:test";
import type { Json } from "#base/json.ts";
import { foldAnswer } from "#canonical/answer.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import { openFrames } from "#formats/shared/upstream/frame-reader.ts";
import { answerText } from "#formats/testing/play.ts";
import { type TranslatedFormatId, translations } from "#formats/translation-registry.ts";

const text = "x".repeat(20_000_000);

/** How many bytes arrive at once. */
const pieceBytes = 64 * 1024;

const streams: readonly (readonly [TranslatedFormatId, readonly Json[]])[] = [
  [
    "openai-chat",
    [{ id: "c", choices: [{ index: 0, delta: { content: text }, finish_reason: "stop" }] }],
  ],
  [
    "openai-responses",
    [
      { type: "response.output_text.delta", output_index: 0, delta: text },
      { type: "response.completed", response: { status: "completed", output: [] } },
    ],
  ],
  [
    "anthropic-messages",
    [
      { type: "message_start", message: { id: "msg_1", model: "m", usage: {} } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: {} },
      { type: "message_stop" },
    ],
  ],
  ["gemini-generate", [{ candidates: [{ content: { parts: [{ text }] }, finishReason: "STOP" }] }]],
  [
    "ollama",
    [
      { message: { content: text }, done: false },
      { message: {}, done: true, done_reason: "stop" },
    ],
  ],
];

for (const [format, bodies] of streams) {
  test(`T24: an event of 20 MB in a stream of ${format} is read whole`, () => {
    const { upstream } = translations[format];
    const isLines = upstream.framing === "json-lines";
    const written = bodies.map((body) => {
      const line = JSON.stringify(body);
      return isLines ? `${line}\n` : `data: ${line}\n\n`;
    });
    const bytes = Buffer.from(written.join(""));
    const frames = openFrames(upstream.framing);
    const reader = upstream.openReader("seed");
    const events: CanonicalEvent[] = [];
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      for (const { event, data } of frames.push(bytes.subarray(at, at + pieceBytes))) {
        events.push(...reader.read(event, data));
      }
    }
    for (const { event, data } of frames.end()) events.push(...reader.read(event, data));
    const answer = foldAnswer([...events, ...reader.end()]);

    expect(answerText(answer).length).toBe(text.length);
    expect([answer.fault, answer.finish?.reason]).toEqual([null, "complete"]);
  });
}
