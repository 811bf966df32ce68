/** Shows values of channels as text. */

import { z } from "zod";
import type { Tone } from "#ui/tone.ts";

/**
 * The longest test durations, in milliseconds, that the specification calls quick, fair and slow.
 */
const quickMs = 1_000;
const fairMs = 3_000;
const slowMs = 5_000;

/**
 * Returns the colour for the duration of a channel's last test: green, lime, yellow or red, as
 * specified; neutral if the channel was never tested.
 */
export function responseTone(ms: number): Tone {
  if (ms <= 0) return "neutral";
  if (ms <= quickMs) return "success";
  if (ms <= fairMs) return "fair";
  return ms <= slowMs ? "warning" : "danger";
}

/** Writes a duration as text: `420 ms`, `1.23 s`. */
export function showMs(ms: number): string {
  return ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(2)} s`;
}

export function showSeconds(seconds: number): string {
  return showMs(seconds * 1_000);
}

const statusInfo = z.object({
  status_reason: z.string().catch(""),
  status_time: z.number().catch(0),
});

/**
 * Reads why and when a channel was disabled automatically. The time is in Unix seconds; 0: unknown.
 */
export function readStatusInfo(text: string): { reason: string; time: number } {
  try {
    const { status_reason, status_time } = statusInfo.parse(JSON.parse(text));
    return { reason: status_reason, time: status_time };
  } catch {
    return { reason: "", time: 0 };
  }
}
