/**
 * Reads every recorded answer as canonical events: text, reasoning, tool calls, usage and end must
 * be what the recording is known to contain, however its bytes are cut.
 */

import { expect, test } from "bun:test";
import { differences, play } from "#formats/testing/play.ts";
import { foldAnswer } from "#canonical/answer.ts";
import {
  mediaFormatOf,
  passedOn,
  playedRecordings,
  formatOf,
  recordings,
  upstreamOf,
} from "./played.ts";
import { unplayed } from "./unplayed.ts";

/** Where an answer differs from what the recording says, and why that is right. */
const known: Readonly<Record<string, string>> = {
  "bedrock/converse.j.pyai.bedrock-model-with-code-execution-tool":
    "the recording counts a tool that Bedrock runs as a call",
  "bedrock/converse.j.pyai.bedrock-model-with-code-execution-tool.1":
    "the recording counts a tool that Bedrock runs as a call",
  "bedrock/invoke-with-response-stream.s.ddog.cohere-invoke-stream-multi-output":
    "the recording does not know where the text is",
  "cohere/v2-chat.s.vai.cohere-empty-tool-call": "a call without arguments has an empty object",
  "gemini/chat.j.pyai.compatible-api-with-tool-calls-without-id":
    "thoughts are missing in completion_tokens, and billed",
  "gemini/chat.j.pyai.compatible-api-with-tool-calls-without-id.1":
    "thoughts are missing in completion_tokens, and billed",
  "mistral/chat.j.rllm.audio-models-mistral-voxtral-small-latest-can-understa-556946bc":
    "audio is missing in prompt_tokens, and billed",
};

test("no recording is skipped silently: each is played, or its API is listed with a reason", () => {
  const covered = new Set([
    ...Object.keys(formatOf),
    ...Object.keys(mediaFormatOf),
    ...passedOn,
    ...Object.keys(unplayed),
  ]);
  const surfaces = new Set(recordings.map(({ surface }) => surface));

  expect([...surfaces].filter((surface) => !covered.has(surface))).toEqual([]);
  expect([...covered].filter((surface) => !surfaces.has(surface))).toEqual([]);
});

for (const { recording, format } of playedRecordings()) {
  const { id, expected } = recording;

  test(`T29: ${id}: nothing of the answer is lost, however its bytes are cut`, () => {
    const upstream = upstreamOf(format);
    const whole = play(recording, upstream, 1_000_000);
    const found = differences(recording, whole);

    expect(found.length > 0).toBe(known[id] !== undefined);
    if (!expected.stream) return;
    for (const size of [1, 2, 3, 7, 37]) {
      expect(foldAnswer(play(recording, upstream, size))).toEqual(foldAnswer(whole));
    }
  });
}
