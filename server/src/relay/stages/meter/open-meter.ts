/** Opens the meter for the answer of a call, and lets it pass what is held for. */

import type { ReadUsage } from "#canonical/usage.ts";
import type { Framing } from "#formats/translation.ts";
import type { OpenCall } from "#relay/call/attempt-state.ts";
import { affordableOutput, inputBeyond } from "#relay/stages/hold-size.ts";
import { asStream, listAsStream } from "./other-mode.ts";
import type { AnswerReading } from "#relay/stages/translate.ts";
import { openEventSource, openWholeSource } from "#relay/stages/translation.ts";
import { meterAnswer } from "./answer-meter.ts";
import { openBytesMeter } from "./bytes-meter.ts";
import { openStreamMeter, type StreamMeter } from "./stream-meter.ts";
import { openTranslatedMeter } from "./translated-meter.ts";

/** Framings whose streams begin with other bytes than JSON does. */
const eventFramings: ReadonlySet<Framing> = new Set(["meta-events", "sse"]);

/** Framings whose streams are JSON. */
const jsonFramings: ReadonlySet<Framing> = new Set(["json-lines", "whole-body"]);

/**
 * How a call's stream and a whole answer in its place can be told apart: by their first bytes, not at
 * all (so that everything is read as a stream), or by the media type alone.
 */
export function signOfStream({ body, converted, translated }: OpenCall): "bytes" | "none" | "type" {
  if (body.isBytes === true || converted !== null) return "type";
  if (translated === null || eventFramings.has(translated.upstream.framing)) return "bytes";
  return jsonFramings.has(translated.upstream.framing) ? "none" : "type";
}

/** Opens the meter of a stream. */
export function openMeter(call: OpenCall, { format, readUsage }: AnswerReading): StreamMeter {
  if (call.body.isBytes === true) return openBytesMeter();
  if (call.translated !== null) return openTranslatedMeter(call.translated, issuedInOf(call));
  return openStreamMeter({ format, readUsage, dropUsage: !call.body.wantsUsage });
}

/** Returns what finds in a translated stream what only its issuer can read; undefined: nothing. */
function issuedInOf({ format }: OpenCall): ((bytes: Uint8Array) => readonly string[]) | undefined {
  return format.issued?.readBy === "family" ? format.issued.allOf : undefined;
}

/** Returns what meters a whole answer as a stream; undefined: it is none, or reports an error. */
export function openWhole(
  call: OpenCall,
  reading: AnswerReading,
  bytes: Uint8Array,
): { readonly meter: StreamMeter; readonly events: Uint8Array } | undefined {
  const { translated } = call;
  const listed = listAsStream(bytes);
  if (translated !== null) {
    const isWhole = listed === bytes;
    const source = isWhole ? openWholeSource(translated) : openEventSource(translated);
    return { meter: openTranslatedMeter(translated, issuedInOf(call), source), events: listed };
  }
  const { otherMode } = reading.format;
  if (otherMode === undefined) return undefined;
  if (listed === bytes && meterAnswer(bytes, reading).fault !== undefined) return undefined;
  const events = asStream(otherMode, bytes, call.body.modality);
  return events === undefined ? undefined : { meter: openMeter(call, reading), events };
}

/** Lets as much output pass as the hold pays for; it covers all of the work that is no text. */
export function allowHeld(call: OpenCall, meter: StreamMeter): void {
  call.bill.inputBeyond = 0;
  if (call.body.work !== undefined) return;
  allowOutput(call, meter);
  meter.onReport = (reported) => notePrompt(call, meter, reported);
}

/** Lets as much output pass as the hold pays for, after the prompt. */
function allowOutput(call: OpenCall, meter: StreamMeter): void {
  const held = call.bill.hold.amount() - call.bill.inputBeyond;
  meter.allowedTokens = affordableOutput(call.price, call.sent, held);
}

/** Notes what the upstream counts of the prompt, so that no output passes that is not paid for. */
function notePrompt(call: OpenCall, meter: StreamMeter, reported: ReadUsage): void {
  if (reported.kind !== "ok") return;
  const beyond = inputBeyond(call.price, call.sent, reported.usage);
  if (beyond <= call.bill.inputBeyond) return;
  call.bill.inputBeyond = beyond;
  allowOutput(call, meter);
}
