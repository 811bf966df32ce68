import type { Tone } from "#ui/tone.ts";

/** The specification's colours for a group's ratio: they change above 1, 3 and 5. */
export function ratioTone(ratio: number): Tone {
  if (ratio > 5) return "danger";
  if (ratio > 3) return "warning";
  return ratio > 1 ? "info" : "success";
}
