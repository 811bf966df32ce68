/** Measures the output in canonical events. */

import { tokensOf, weighText, weightOfToken } from "#base/text-weight.ts";
import type { CanonicalEvent } from "#canonical/event.ts";
import type { MeteredAnswer } from "./answer-meter.ts";
import { type KeptOutput, openKeptOutput } from "./kept-output.ts";
import type { ErrorBody } from "#formats/format.ts";

const encoder = new TextEncoder();

/** Returns the text of the model in an event, as the inside of a JSON string; empty: it has none. */
export function outputOf(event: CanonicalEvent): Uint8Array {
  switch (event.type) {
    case "text":
    case "refusal":
    case "reasoning":
    case "arguments":
    case "unsent":
      return encoder.encode(JSON.stringify(event.text).slice(1, -1));
    case "item-start":
      return event.item.type === "tool-call" ? encoder.encode(event.item.name) : noBytes;
    case "media":
      return event.part.source.type === "bytes" ? mediaMark : noBytes;
    default:
      return noBytes;
  }
}

const noBytes = new Uint8Array();

/** Stands for a picture, whose bytes are not paid for as text. */
const mediaMark = new Uint8Array(1_024).fill(0x2a);

/** Estimates the tokens of output, in sixteenths of a token. A piece counts as at least one token. */
export function weighOutput(bytes: Uint8Array): number {
  return bytes.length === 0 ? 0 : Math.max(weightOfToken, weighText(bytes, 0, bytes.length));
}

export function keepOutput(output: KeptOutput, bytes: Uint8Array, weight: number): void {
  if (bytes.length > 0) output.add(bytes, [0, bytes.length], weight);
}

const noReport = { report: { kind: "missing" }, tier: "" } as const;

/** Returns the upstream's usage report among the events. */
function reportOf(
  events: readonly CanonicalEvent[],
): Pick<Extract<CanonicalEvent, { type: "usage" }>, "report" | "searches" | "tier"> {
  return events.find((event) => event.type === "usage") ?? noReport;
}

/** Meters a whole answer that was translated. */
export function meterTranslated(
  events: readonly CanonicalEvent[],
  fault: ErrorBody | undefined,
): MeteredAnswer {
  const output = openKeptOutput();
  for (const event of events) {
    const bytes = outputOf(event);
    keepOutput(output, bytes, weighOutput(bytes));
  }
  const { report, searches = 0, tier } = reportOf(events);
  return {
    usage: report,
    tier,
    searches,
    fault,
    contentBytes: output.byteCount,
    outputTokens: tokensOf(output.weight),
    complete: fault === undefined,
    readOutput() {
      const { text, truncated } = output.read();
      return { text, textTruncated: truncated, outputTokens: tokensOf(output.weight) };
    },
  };
}
