/** A lane across the page, in which things pass a gate one after another. */

import { type ReactNode, useState } from "react";
import { classes } from "#ui/controls/classes.ts";

/**
 * A band over the whole width of the page with a gate at its start. Its children are `Ticket`s, the
 * newest first; a phone shows the first four, below each other.
 */
export function Lane(props: {
  /** What passes, for screen readers. */
  "aria-label": string;
  /** Whether something is passing at the moment: the gate is up. */
  isOpen: boolean;
  /** Identifies the first ticket; when it changes, the tickets move over. */
  first: string | undefined;
  children: ReactNode;
}) {
  const { isOpen, first, children } = props;
  const [last, setLast] = useState({ first, passes: 0 });
  if (last.first !== first) {
    setLast({ first, passes: last.first === undefined ? 0 : last.passes + 1 });
  }
  return (
    <div className="relative overflow-hidden border-y border-line bg-sunken">
      {/* The marking in the middle of the road. */}
      <div
        aria-hidden
        className="absolute inset-x-0 top-1/2 border-t-2 border-dashed border-line max-md:hidden"
      />
      <div className="relative flex gap-6 pt-6 pl-[max(1.5rem,calc(50%-34.5rem))] max-md:flex-col max-md:gap-4 max-md:px-4 max-md:pt-4">
        <Gate isOpen={isOpen} />
        <ol
          aria-label={props["aria-label"]}
          // Two names of one movement: a changed name makes the browser play it again.
          data-pass={last.passes === 0 ? undefined : last.passes % 2 === 0 ? "even" : "odd"}
          className={
            "lane-list flex min-w-0 flex-1 gap-3 overflow-x-auto px-0.5 pt-0.5 pr-6 pb-6 [scrollbar-width:none] " +
            "max-md:flex-col max-md:gap-2 max-md:overflow-visible max-md:[&>li:nth-child(n+5)]:hidden max-md:pr-0.5 max-md:pb-4"
          }
        >
          {children}
        </ol>
      </div>
    </div>
  );
}

/** One thing in a lane; pressing it chooses it. */
export function Ticket(props: {
  isChosen: boolean;
  onChoose: () => void;
  /** Whether it is still passing and cannot be chosen yet. */
  isPassing?: boolean | undefined;
  children: ReactNode;
}) {
  const { isChosen, onChoose, isPassing = false, children } = props;
  return (
    <li className="flex shrink-0">
      <button
        type="button"
        aria-pressed={isChosen}
        disabled={isPassing}
        onClick={onChoose}
        className={classes(
          "flex w-46 flex-col items-stretch rounded border bg-panel text-left text-ink max-md:w-full",
          isPassing && "border-dashed border-mark",
          !isPassing && (isChosen ? "border-accent-solid" : "border-line hover:border-mark"),
        )}
      >
        {children}
      </button>
    </li>
  );
}

/** The two parts of a ticket, with a line to tear along between them. */
export function TicketParts({
  head,
  foot,
}: {
  readonly head: ReactNode;
  readonly foot: ReactNode;
}) {
  return (
    <span className="flex flex-col max-md:flex-row max-md:items-center max-md:justify-between">
      <span className="flex min-w-0 items-center gap-1.5 px-3 py-2">{head}</span>
      <span className="flex flex-col border-t border-dashed border-line px-3 py-2.5 max-md:items-end max-md:border-0 max-md:py-2">
        {foot}
      </span>
    </span>
  );
}

/** The gate: its arm goes up while something passes. */
function Gate({ isOpen }: { readonly isOpen: boolean }) {
  return (
    <svg
      viewBox="0 0 72 84"
      width="80"
      height="108"
      fill="none"
      strokeLinecap="round"
      aria-hidden
      className="shrink-0 self-end overflow-visible bg-sunken pr-2 pb-6 text-ink max-md:hidden"
    >
      <path d="M14 81V30" stroke="currentColor" strokeWidth="6" />
      <path d="M3 81h66" stroke="currentColor" strokeWidth="3" />
      <path d="M62 81V52" stroke="currentColor" strokeWidth="4" />
      <g className={classes("origin-[14px_36px] transition-transform", isOpen && "-rotate-58")}>
        <path d="M14 36h52" className="stroke-accent-solid" strokeWidth="7" />
        <path
          d="M25 36h5m10 0h5m10 0h5"
          className="stroke-on-solid"
          strokeWidth="4"
          strokeLinecap="butt"
        />
      </g>
      <circle cx="14" cy="36" r="6" className="fill-page" stroke="currentColor" strokeWidth="4" />
    </svg>
  );
}
