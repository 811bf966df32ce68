/** A lane across the page, in which things pass a gate one after another. */

import { type ReactNode, useState } from "react";
import "./front.css";

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
    <div className="lane">
      <div className="lane-road">
        <Gate isOpen={isOpen} />
        <ol
          aria-label={props["aria-label"]}
          data-pass={last.passes === 0 ? undefined : last.passes % 2 === 0 ? "even" : "odd"}
          className="lane-tickets"
        >
          {children}
        </ol>
      </div>
    </div>
  );
}

/** One thing in a lane, in two parts with a line to tear along between; pressing it chooses it. */
export function Ticket(props: {
  isChosen: boolean;
  onChoose: () => void;
  /** Whether it is still passing and cannot be chosen yet. */
  isPassing?: boolean | undefined;
  head: ReactNode;
  foot: ReactNode;
}) {
  const { isChosen, onChoose, isPassing = false, head, foot } = props;
  return (
    <li>
      <button
        type="button"
        aria-pressed={isChosen}
        disabled={isPassing}
        onClick={onChoose}
        className="ticket"
      >
        <span className="ticket-head">{head}</span>
        <span className="ticket-foot">{foot}</span>
      </button>
    </li>
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
      stroke="currentColor"
      strokeLinecap="round"
      aria-hidden
      data-open={isOpen}
      className="gate"
    >
      <path d="M14 81V30" strokeWidth="6" />
      <path d="M3 81h66" strokeWidth="3" />
      <path d="M62 81V52" strokeWidth="4" />
      <g className="gate-arm">
        <path d="M14 36h52" className="gate-paint" strokeWidth="7" />
        <path
          d="M25 36h5m10 0h5m10 0h5"
          className="gate-stripes"
          strokeWidth="4"
          strokeLinecap="butt"
        />
      </g>
      <circle cx="14" cy="36" r="6" strokeWidth="4" />
    </svg>
  );
}

/** What a lane shows while it has no ticket. */
export function LaneNote({ children }: { readonly children?: ReactNode }) {
  return <li className="lane-empty">{children}</li>;
}
