import type { Tone } from "#ui/tone.ts";

/** The specification's colours of a group's ratio: above 5, 3 and 1, and otherwise. */
export function ratioTone(ratio: number): Tone {
  if (ratio > 5) return "danger";
  if (ratio > 3) return "warning";
  return ratio > 1 ? "info" : "success";
}
