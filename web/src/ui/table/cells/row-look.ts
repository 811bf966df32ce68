/**
 * Class names of rows. Each variant is a complete list of classes, because merging lists in every
 * cell would be slow. Nothing in a row has a transition.
 */

/** Actions that a row shows as buttons; the others are in its menu. */
export const visibleActionsMax = 2;

/** A cell's padding; the first and last columns of a table have their own. */
export const cellLook = "h-row border-b border-line px-3 py-(--cell-space) text-left align-middle";
export const headLook =
  "sticky top-0 z-2 h-9 border-b border-line bg-sunken px-3 text-left align-middle font-medium " +
  "whitespace-nowrap text-muted";

/** Sticks to its edge while the table scrolls sideways, above the cells that pass under it. */
export const stickyCell = "sticky z-1 bg-inherit";

/** The line beside a sticking column, while cells pass under it. */
export const startEdge =
  "after:pointer-events-none after:absolute after:inset-y-0 after:right-0 after:w-px " +
  "group-data-before/frame:after:bg-line";
export const endEdge =
  "after:pointer-events-none after:absolute after:inset-y-0 after:left-0 after:w-px " +
  "group-data-after/frame:after:bg-line";

export const rowLook =
  "group/row row-focus scroll-my-9 bg-panel hover:bg-hover data-open:bg-hover data-selected:bg-accent-soft " +
  "data-muted:text-muted";

/** An action in words, at the end of a row. */
export const actionLook =
  "inline-flex h-control-small items-center gap-1 rounded-inner px-2 text-sm whitespace-nowrap " +
  "hover:bg-active aria-disabled:text-faint aria-disabled:hover:bg-transparent";
export const dangerActionLook = `${actionLook} text-danger-ink`;

/** A square button in a row: the menu, or unfolding. */
export const squareLook =
  "inline-flex size-control-small shrink-0 items-center justify-center rounded-inner text-muted " +
  "hover:bg-active hover:text-ink focus-visible:-outline-offset-2 data-popup-open:bg-active " +
  "data-popup-open:text-ink";

/**
 * The signs on these buttons are drawn by one box each: of a hundred rows, the elements of two
 * images each would be a seventh of all that a change of the theme draws again.
 */
export const moreLook =
  `${squareLook} before:size-[3px] before:rounded-full before:bg-current ` +
  "before:[box-shadow:-5px_0_currentColor,5px_0_currentColor]";
export const unfoldLook =
  `${squareLook} before:size-1.75 before:-translate-x-0.5 before:rotate-45 before:border-t-[1.5px] ` +
  "before:border-r-[1.5px] before:border-current aria-expanded:before:translate-x-0 " +
  "aria-expanded:before:-translate-y-0.5 aria-expanded:before:rotate-135";

/** Appears on hover of the row and on focus; always visible on touch screens. */
export const copyLook =
  "inline-flex size-6 shrink-0 items-center justify-center rounded-inner text-muted opacity-0 " +
  "group-hover/row:opacity-100 hover:bg-active hover:text-ink focus-visible:opacity-100 " +
  "aria-busy:opacity-100 data-copied:opacity-100 max-md:-my-2 max-md:size-10 " +
  "pointer-coarse:opacity-100";

/** The button that opens the record. */
export const openLook =
  "block max-w-full truncate rounded-inner text-left font-medium underline-offset-3 hover:underline";

export const inlineNumberLook =
  "h-7 w-18 rounded-inner border border-transparent bg-transparent px-1.5 text-right tabular-nums " +
  "hover:border-control focus:border-ring focus:bg-field focus:outline-none " +
  "aria-invalid:border-danger-solid aria-busy:text-muted disabled:text-faint max-md:h-10 " +
  "max-md:border-control";

/** On a phone its touch target is 40 px high, whatever its look. */
export const switchLook =
  "switch-box align-middle max-md:relative max-md:after:absolute max-md:after:-inset-x-1 " +
  "max-md:after:-inset-y-3 max-md:after:content-['']";
