/**
 * Meters a stream that is translated: reads the upstream's events, counts their output against the
 * hold, and writes them in the client's format.
 */

import type { ServedTier } from "@tollgate/contract/money/service-tiers.ts";
import { tokensOf, weightOfToken } from "#base/text-weight.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import type { ReadUsage, Usage } from "#canonical/usage.ts";
import type { ClientError, ErrorBody } from "#formats/format.ts";
import type { StreamWriter } from "#formats/translation.ts";
import type { EventSource } from "./event-source.ts";
import { openKeptOutput, shareOf } from "./kept-output.ts";
import { correctEstimate, type HoldGate, isTooMuch, keepIssued } from "./stream-events.ts";
import type { Passed, StreamEnd, StreamMeter } from "./stream-meter.ts";
import { keepOutput, outputOf, weighOutput } from "./translated-output.ts";

type Metering = HoldGate & {
  /** Finds in written events what only its issuer can read; undefined: nothing is searched. */
  readonly issuedIn: ((bytes: Uint8Array) => readonly string[]) | undefined;
  readonly issued: string[];
  readonly source: EventSource;
  readonly writer: StreamWriter;
  /** Events that are read, but not written yet. */
  queue: CanonicalEvent[];
  usage: ReadUsage;
  /** What the upstream has reported so far. */
  reported: ReadUsage;
  onReport: ((reported: ReadUsage) => void) | null;
  /** Bytes of output that are reasoning. */
  reasoningBytes: number;
  tier: ServedTier;
  /** The web searches that it told beside its usage. */
  searches: number;
  fault: ErrorBody | undefined;
  /** What was written at the stream's end, such as the ends of open items; sent in any case. */
  last: string;
  /** The event that closes the stream once it is billed; written only then. */
  finish: CanonicalEvent | undefined;
  contentSeen: boolean;
  done: boolean;
  blocked: boolean;
};

const encoder = new TextEncoder();

/**
 * @param source reads what the upstream sends.
 * @param writer writes it for the client.
 */
export function openTranslatedMeter(
  source: EventSource,
  writer: StreamWriter,
  issuedIn?: Metering["issuedIn"],
): StreamMeter {
  const state = newMetering(source, writer, issuedIn);
  let ended: StreamEnd | undefined;
  return {
    get onReport() {
      return state.onReport;
    },
    set onReport(hear) {
      state.onReport = hear;
    },
    push(chunk) {
      state.queue.push(...state.source.push(chunk));
      hearReport(state);
      return pass(state);
    },
    resume: () => pass(state),
    get allowedTokens() {
      return state.allowedWeight / weightOfToken;
    },
    set allowedTokens(tokens) {
      state.allowedWeight = tokens * weightOfToken;
    },
    get wantedTokens() {
      return tokensOf(state.wantedWeight);
    },
    get outputTokens() {
      return tokensOf(state.output.weight);
    },
    readOutput: state.output.read,
    correct: (tokens) => correctEstimate(state, tokens),
    get contentSeen() {
      return state.contentSeen;
    },
    get finished() {
      return state.done;
    },
    get done() {
      return state.done;
    },
    get fault() {
      return state.fault;
    },
    // What is written anew names nothing that the upstream keeps.
    issuedCount: 0,
    lastIssued: () => [],
    get unfinishedBytes() {
      return state.source.unfinishedBytes();
    },
    betweenEvents: true,
    errorEvent: (error, charged) => fail(state, error, charged),
    end: () => (ended ??= end(state)),
  };
}

function newMetering(
  source: EventSource,
  writer: StreamWriter,
  issuedIn: Metering["issuedIn"],
): Metering {
  return {
    issuedIn,
    issued: [],
    source,
    writer,
    output: openKeptOutput(),
    queue: [],
    usage: { kind: "missing" },
    reported: { kind: "missing" },
    onReport: null,
    reasoningBytes: 0,
    tier: "",
    searches: 0,
    fault: undefined,
    last: "",
    finish: undefined,
    contentSeen: false,
    done: false,
    blocked: false,
    allowedWeight: Number.POSITIVE_INFINITY,
    wantedWeight: 0,
  };
}

function fail(state: Metering, error: ClientError, charged: Usage | undefined): string {
  const { last, tier, usage: report, writer } = state;
  if (charged !== undefined) writer.write({ type: "usage", usage: charged, report, tier });
  // Without the ends of its items, a failed stream would leave them open and skip their numbers.
  return last + writer.fail(error);
}

/** Tells what the upstream has reported, as soon as it was read. */
function hearReport(state: Metering): void {
  const reported = state.source.reported();
  if (reported === state.reported) return;
  state.reported = reported;
  state.onReport?.(reported);
}

/** Writes the events that were read, as far as the hold covers them. */
function pass(state: Metering): Passed {
  let text = "";
  let taken = 0;
  state.blocked = false;
  for (const event of state.queue) {
    const bytes = outputOf(event);
    const weight = weighOutput(bytes);
    state.blocked = isTooMuch(state, weight);
    if (state.blocked) break;
    taken += 1;
    keepOutput(state.output, bytes, weight);
    if (event.type === "reasoning") state.reasoningBytes += bytes.length;
    if (bytes.length > 0) state.contentSeen = true;
    text += writeEvent(state, event);
  }
  state.queue = state.queue.slice(taken);
  if (text === "") return { forward: [], blocked: state.blocked };
  const written = encoder.encode(text);
  if (state.issuedIn !== undefined) keepIssued(state.issued, state.issuedIn(written));
  return { forward: [written], blocked: state.blocked };
}

function writeEvent(state: Metering, event: CanonicalEvent): string {
  switch (event.type) {
    case "usage":
      note(state, event);
      return state.writer.write(event);
    case "fault":
      state.fault = { ...event.fault, type: event.fault.code };
      return "";
    case "finish":
      state.done = true;
      state.finish = event;
      return "";
    default:
      return state.writer.write(event);
  }
}

function note(state: Metering, event: Extract<CanonicalEvent, { type: "usage" }>): void {
  state.usage = event.report;
  state.tier = event.tier;
  state.searches = event.searches ?? 0;
}

function end(state: Metering): StreamEnd {
  const rest = state.source.end();
  if (state.blocked) {
    // What comes next is not paid for, but what was reported until then is charged.
    for (const event of [...state.queue, ...rest]) if (event.type === "usage") note(state, event);
  } else {
    state.queue.push(...rest);
    state.last = Buffer.concat(pass(state).forward).toString();
  }
  const { text, truncated } = state.output.read();
  let tail: Uint8Array | undefined;
  return {
    get tail() {
      return (tail ??= encoder.encode(state.blocked ? "" : lastOf(state)));
    },
    usage: state.usage,
    seenUsage: state.usage,
    tier: state.tier,
    searches: state.searches,
    text,
    textTruncated: truncated,
    issued: state.issued,
    contentBytes: state.output.byteCount,
    outputTokens: tokensOf(state.output.weight),
    reasoningShare: shareOf(state.reasoningBytes, state.output),
    complete: state.done && state.fault === undefined && !state.blocked,
  };
}

function lastOf({ finish, last, writer }: Metering): string {
  return finish === undefined ? last : last + writer.write(finish);
}
