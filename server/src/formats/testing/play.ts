/** Plays recordings of upstreams through the readers of formats, and compares with what they contain. */

import { createHash } from "node:crypto";
import type { Json } from "#base/json.ts";
import { type Answer, foldAnswer } from "#canonical/answer.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import { inputOf, outputOf } from "#canonical/usage.ts";
import { openFrames } from "#formats/shared/upstream/frame-reader.ts";
import { parseJson } from "#formats/shared/read-json.ts";
import type { UpstreamTranslation } from "#formats/translation.ts";
import { cut, type Recording, replay } from "./recordings.ts";

/** Reads the recording's answer as events, in pieces of `size` bytes if it is streamed. */
export function play(
  recording: Recording,
  upstream: UpstreamTranslation,
  size: number,
): CanonicalEvent[] {
  const { response, expected } = recording;
  if (!expected.stream) return upstream.readAnswer(bodyOf(response), recording.id);
  const reader = upstream.openReader(recording.id);
  const frames = openFrames(upstream.framing);
  const events: CanonicalEvent[] = [];
  const bytes = replay(recording, upstream.framing);
  for (const piece of cut(bytes, size)) {
    for (const { event, data } of frames.push(piece)) events.push(...reader.read(event, data));
  }
  for (const { event, data } of frames.end()) events.push(...reader.read(event, data));
  events.push(...reader.end());
  return events;
}

function bodyOf({ body }: Recording["response"]): Json {
  // Safe cast: it was parsed from JSON.
  return (body ?? null) as Json;
}

export function answerText({ items }: Answer): string {
  return items
    .flatMap((item) => (item.type === "message" ? item.parts : []))
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("");
}

export function answerReasoning({ items }: Answer): string {
  return items.map((item) => (item.type === "reasoning" ? item.text : "")).join("");
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** JSON with sorted keys and without blanks, as the recordings' hashes of arguments have it. */
export function sortedJson(text: string): string {
  const value = parseJson(text);
  return value === undefined ? text : JSON.stringify(sorted(value));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each)]),
  );
}

/** Returns how the events differ from what the recording contains; empty: not at all. */
export function differences(recording: Recording, events: readonly CanonicalEvent[]): string[] {
  const { expected } = recording;
  const found: string[] = [];
  const answer = foldAnswer(events);
  if (expected.error !== undefined || recording.response.status >= 400) {
    return answer.fault === null ? ["the error is not seen"] : [];
  }
  if (answer.fault !== null) return [`fault ${answer.fault.code} ${answer.fault.message}`];
  const text = answerText(answer);
  const wanted = expected.text ?? null;
  if (wanted !== null && sha256(text) !== wanted.sha256) {
    found.push(`text: ${[...text].length} of ${wanted.chars} code points`);
  }
  const reasoning = answerReasoning(answer);
  const thought = expected.reasoning ?? null;
  if (thought !== null && sha256(reasoning) !== thought.sha256) {
    found.push(`reasoning: ${[...reasoning].length} of ${thought.chars} code points`);
  }
  found.push(...callDifferences(expected.tool_calls ?? [], answer));
  const usage = expected.usage ?? null;
  if (usage !== null && answer.usage !== null) {
    const input = inputOf(answer.usage);
    const output = outputOf(answer.usage);
    if (input !== usage.input || output !== (usage.output ?? 0)) {
      found.push(`usage: ${input}/${output} instead of ${usage.input}/${usage.output}`);
    }
  } else if (usage !== null && usage.input > 0) found.push("usage is missing");
  if (answer.finish === null) found.push("no finish");
  return found;
}

type ExpectedCalls = NonNullable<Recording["expected"]["tool_calls"]>;

function callDifferences(wanted: ExpectedCalls, answer: Answer): string[] {
  const calls = answer.items.flatMap((item) => (item.type === "tool-call" ? [item] : []));
  const names = calls.map(({ name }) => name).join();
  const expectedNames = wanted.map(({ name }) => name ?? "").join();
  if (names !== expectedNames) return [`calls: [${names}] instead of [${expectedNames}]`];
  return wanted.flatMap(({ args_sha256: hash, id }, index) => {
    const call = calls[index];
    if (call === undefined) return [];
    const differs: string[] = [];
    const args = call.form === "text" ? call.argsText : sortedJson(call.argsText);
    if (hash !== undefined && hash !== null && sha256(args) !== hash) {
      differs.push(`arguments of ${call.name}: ${args.slice(0, 60)}`);
    }
    if (typeof id === "string" && id !== "" && id !== call.callId) {
      differs.push(`id ${call.callId}`);
    }
    return differs;
  });
}
