/**
 * Writes every recorded answer in each client format, streamed and whole, and reads it back: text,
 * reasoning, calls, usage and end must be those of the recording, and the stream must follow the
 * rules of its format.
 */

import { expect, test } from "bun:test";
import { foldAnswer } from "#canonical/answer.ts";
import { play } from "#formats/testing/play.ts";
import { playedRecordings, upstreamOf, translatedClientIds } from "./played.ts";
import { lostIn } from "./round-trip.ts";

for (const { recording, format } of playedRecordings()) {
  const events = play(recording, upstreamOf(format), 1_000_000);
  const answer = foldAnswer(events);
  if (answer.fault !== null) continue;

  for (const client of translatedClientIds) {
    test(`${recording.id}: a client of ${client} gets all of it`, () => {
      expect(lostIn(events, answer, client)).toEqual([]);
    });
  }
}
