/**
 * Tones: the meanings that colours have. Screens name a tone; only the kit knows which colour it
 * is. `fair` is between success and warning.
 */
export type Tone = "neutral" | "accent" | "success" | "fair" | "warning" | "danger" | "info";

/** CSS classes for text and background of a quiet mark, such as a badge. */
export const toneSoft: Readonly<Record<Tone, string>> = {
  neutral: "bg-neutral-soft text-neutral-ink",
  accent: "bg-accent-soft text-accent-ink",
  success: "bg-success-soft text-success-ink",
  fair: "bg-fair-soft text-fair-ink",
  warning: "bg-warning-soft text-warning-ink",
  danger: "bg-danger-soft text-danger-ink",
  info: "bg-info-soft text-info-ink",
};

export const toneLine: Readonly<Record<Tone, string>> = {
  neutral: "border-neutral-line",
  accent: "border-accent-line",
  success: "border-success-line",
  fair: "border-fair-line",
  warning: "border-warning-line",
  danger: "border-danger-line",
  info: "border-info-line",
};

/** CSS classes for text in the colour of a tone; readable on any background of the console. */
export const toneInk: Readonly<Record<Tone, string>> = {
  neutral: "text-neutral-ink",
  accent: "text-accent-ink",
  success: "text-success-ink",
  fair: "text-fair-ink",
  warning: "text-warning-ink",
  danger: "text-danger-ink",
  info: "text-info-ink",
};

/** CSS classes for the full colour of a tone, for bars and dots. */
export const toneSolid: Readonly<Record<Tone, string>> = {
  neutral: "bg-neutral-solid",
  accent: "bg-accent-solid",
  success: "bg-success-solid",
  fair: "bg-fair-solid",
  warning: "bg-warning-solid",
  danger: "bg-danger-solid",
  info: "bg-info-solid",
};
