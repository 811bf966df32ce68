/** Lets as much of a stream pass as is held for. */

import type { ReadUsage } from "#canonical/usage.ts";
import type { OpenCall } from "#relay/call/attempt-state.ts";
import { affordableOutput, inputBeyond } from "#relay/admission/hold-size.ts";
import type { StreamMeter } from "#relay/meter/stream-meter.ts";

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
