/** Reads answers that go on as the upstream wrote them. */

import { meterAnswer, meteredStream } from "#relay/meter/answer-meter.ts";
import {
  asStream,
  asWhole,
  beginningOf,
  listAsStream,
  looksStreamed,
} from "#relay/meter/other-mode.ts";
import { openStreamMeter, type StreamMeter } from "#relay/meter/stream-meter.ts";
import type { PreparedWay } from "./prepare.ts";
import {
  type AnsweredCall,
  type BadAnswer,
  badAnswer,
  nothingLost,
  type Reading,
  reasonOf,
  type WholeAnswer,
  type WholeAsStream,
} from "./way.ts";

type Reader = Pick<PreparedWay, "channel" | "format" | "readUsage">;

export function readAsItIs(way: Reader): Reading {
  return {
    losses: nothingLost,
    betas: nothingLost,
    changesPrice: false,
    sendsFileAlone: false,
    passesOn: true,
    sign: "bytes",
    received: null,
    isParsed: (call, bytes, mediaType) => mayBeStream(way, call, bytes, mediaType),
    openMeter: (call) => openMeter(way, call),
    openWhole: (call, bytes) => openWhole(way, call, bytes),
    readWhole: (call, bytes, mediaType) => readWhole(way, call, bytes, mediaType),
  };
}

function openMeter({ format, readUsage }: Reader, { body }: AnsweredCall): StreamMeter {
  return openStreamMeter({ format, readUsage, dropUsage: !body.wantsUsage });
}

function openWhole(way: Reader, call: AnsweredCall, bytes: Uint8Array): WholeAsStream | undefined {
  const { otherMode } = way.format;
  if (otherMode === undefined) return undefined;
  const isWhole = listAsStream(bytes) === bytes;
  if (isWhole && meterAnswer(bytes, way).fault !== undefined) return undefined;
  const events = asStream(otherMode, bytes, call.body.modality);
  return events === undefined ? undefined : { meter: openMeter(way, call), events };
}

const openBrace = 0x7b;

function readWhole(
  way: Reader,
  call: AnsweredCall,
  bytes: Uint8Array,
  mediaType: string,
): BadAnswer | WholeAnswer {
  if (isStreamed(way, call, bytes, mediaType)) return readEvents(way, bytes);
  const metered = meterAnswer(bytes, way);
  if (metered.fault !== undefined) return badAnswer(reasonOf(metered.fault), metered.fault);
  return { kind: "whole", channel: way.channel, bytes, metered, mediaType };
}

/** Whether an answer is a stream, although none was asked for. */
function isStreamed(
  way: Reader,
  call: AnsweredCall,
  bytes: Uint8Array,
  mediaType: string,
): boolean {
  if (!mayBeStream(way, call, bytes, mediaType)) return false;
  return looksStreamed(bytes) || listAsStream(bytes) !== bytes;
}

/** Whether that cannot be ruled out before all of it is parsed. */
function mayBeStream(
  { format }: Reader,
  { body }: AnsweredCall,
  bytes: Uint8Array,
  mediaType: string,
): boolean {
  if (bytes[0] === openBrace || body.isBytes === true || format.otherMode === undefined) {
    return false;
  }
  // Where answers may be plain texts, these may begin like an event.
  const isAny = format.accepts.whole === "*/*" && !mediaType.startsWith("text/event-stream");
  return !isAny && beginningOf(bytes) !== "other";
}

/** Reads a stream that came where none was asked for, and puts it together. */
function readEvents(
  { channel, format, readUsage }: Reader,
  bytes: Uint8Array,
): BadAnswer | WholeAnswer {
  const meter = openStreamMeter({ format, readUsage, dropUsage: false });
  const events = listAsStream(bytes);
  meter.push(events);
  const end = meter.end();
  if (meter.fault !== undefined) return badAnswer("answer-error", meter.fault);
  if (!end.complete) return badAnswer("answer-truncated");
  const whole = format.otherMode === undefined ? undefined : asWhole(format.otherMode, events);
  if (whole === undefined) return badAnswer("answer-malformed");
  const metered = meteredStream(end);
  return { kind: "whole", channel, bytes: whole, metered, mediaType: "application/json" };
}
