import type { Tone } from "#ui/tone.ts";

/** Returns the specification's colour for a group's ratio; it changes above 1, 3 and 5. */
export function ratioTone(ratio: number): Tone {
  if (ratio > 5) return "danger";
  if (ratio > 3) return "warning";
  return ratio > 1 ? "info" : "success";
}
