/**
 * CSS class names of rows. Each constant is a complete list of classes, because merging lists in
 * every cell would be slow. Nothing in a row has a CSS transition.
 */

/** The number of actions that a row shows as buttons; the others are in its menu. */
export const visibleActionsMax = 2;

/** The look of a cell. The first and the last column of a table have a padding of their own. */
export const cellLook = "h-row border-b border-line px-3 py-(--cell-space) text-left align-middle";
export const headLook =
  "sticky top-0 z-2 h-9 border-b border-line bg-sunken px-3 text-left align-middle font-medium " +
  "whitespace-nowrap text-muted";

/**
 * A cell that stays at the edge of the frame while the table scrolls sideways, above the cells that
 * pass under it.
 */
export const stickyCell = "sticky z-1 bg-inherit";

/** The border of a sticky first column. It shows only while other cells are scrolled below it. */
export const startEdge =
  "after:pointer-events-none after:absolute after:inset-y-0 after:right-0 after:w-px " +
  "group-data-before/frame:after:bg-line";
export const endEdge =
  "after:pointer-events-none after:absolute after:inset-y-0 after:left-0 after:w-px " +
  "group-data-after/frame:after:bg-line";

/**
 * What spans all columns: as wide as the frame, and in view while the table scrolls sideways. Its
 * content takes no part in the widths of the columns.
 */
export const frameWide = "sticky left-0 w-full max-w-[100cqw] contain-inline-size";

export const rowLook =
  "group/row row-focus scroll-my-9 bg-panel hover:bg-hover data-open:bg-hover data-selected:bg-accent-soft " +
  "data-muted:bg-sunken data-muted:text-muted data-peekable:cursor-pointer aria-[current]:bg-active";

/** An action at the end of a row, as a button with text. */
export const actionLook =
  "inline-flex h-control-small items-center gap-1 rounded-inner px-2 text-sm whitespace-nowrap " +
  "hover:bg-active aria-disabled:text-faint aria-disabled:hover:bg-transparent";
export const dangerActionLook = `${actionLook} text-danger-ink`;

/** A square button in a row, which opens the menu or unfolds the row. */
export const squareLook =
  "inline-flex size-control-small shrink-0 items-center justify-center rounded-inner text-muted " +
  "hover:bg-active hover:text-ink focus-visible:-outline-offset-2 data-popup-open:bg-active " +
  "data-popup-open:text-ink";

/**
 * Each icon of the menu and unfold buttons is drawn by one pseudo-element. Image elements in a
 * hundred rows would be a seventh of everything that the browser redraws when the theme changes.
 */
export const moreLook =
  `${squareLook} before:size-[3px] before:rounded-full before:bg-current ` +
  "before:[box-shadow:-5px_0_currentColor,5px_0_currentColor]";
export const unfoldLook =
  `${squareLook} before:size-1.75 before:-translate-x-0.5 before:rotate-45 before:border-t-[1.5px] ` +
  "before:border-r-[1.5px] before:border-current aria-expanded:before:translate-x-0 " +
  "aria-expanded:before:-translate-y-0.5 aria-expanded:before:rotate-135";

/** The copy button: appears on hover of the row and on focus; always visible on touch screens. */
export const copyLook =
  "inline-flex size-6 shrink-0 items-center justify-center rounded-inner text-muted opacity-0 " +
  "group-hover/row:opacity-100 hover:bg-active hover:text-ink focus-visible:opacity-100 " +
  "aria-busy:opacity-100 data-copied:opacity-100 max-md:-my-2 max-md:size-10 " +
  "pointer-coarse:opacity-100";

/** The button in the first cell that opens the record. */
export const openLook =
  "block max-w-full truncate rounded-inner text-left font-medium underline-offset-3 hover:underline";

export const inlineNumberLook =
  "h-7 w-14 rounded-inner border border-transparent bg-transparent px-1.5 text-right tabular-nums " +
  "hover:border-control focus:border-ring focus:bg-field focus:outline-none " +
  "aria-invalid:border-danger-solid aria-busy:text-muted disabled:text-faint max-md:h-10 " +
  "max-md:border-control";

/** On a phone, the area that reacts to touch is 40 px high, although the switch looks smaller. */
export const switchLook =
  "switch-box align-middle max-md:relative max-md:after:absolute max-md:after:-inset-x-1 " +
  "max-md:after:-inset-y-3 max-md:after:content-['']";
