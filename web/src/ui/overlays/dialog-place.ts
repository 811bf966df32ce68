import { classes } from "#ui/controls/classes.ts";

const widths = { sm: "max-w-110", md: "max-w-140", lg: "max-w-220" } as const;

export type DialogWidth = keyof typeof widths;

/** Returns the CSS classes that place a dialog in the middle of the page. */
export function dialogPlace(width: DialogWidth): string {
  return classes(
    "top-1/2 left-1/2 max-h-[calc(100dvh-2rem)] w-[calc(100vw-2rem)] -translate-1/2 rounded border",
    widths[width],
  );
}
