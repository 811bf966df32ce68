/** The look of a chosen value as a chip inside a field. */
export const chip =
  "inline-flex h-6 max-w-full items-center rounded-inner bg-neutral-soft pl-1.5 text-sm text-ink " +
  "outline-none data-highlighted:outline-2 data-highlighted:outline-ring " +
  "focus-within:outline-2 focus-within:outline-ring max-md:h-8";

export const chipRemove =
  "flex h-full w-6 shrink-0 items-center justify-center rounded-inner text-muted hover:text-ink " +
  "max-md:w-8";

/** The look of a button inside a field's frame, at its end. */
export const fieldButton =
  "flex w-8 shrink-0 items-center justify-center self-stretch rounded text-muted hover:text-ink " +
  "data-disabled:text-faint max-md:w-10";
