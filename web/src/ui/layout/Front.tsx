/** The parts of a front page, which is wider and has more room than a screen of the console. */

import type { ReactNode } from "react";
import "#ui/claim.css";
import "./front.css";

export function Front({ children }: { readonly children: ReactNode }) {
  return <div className="front">{children}</div>;
}

/**
 * A part of the page, as wide as its content. `split`: two columns where there is room, of one
 * width or with a wider second one for a `bill`.
 */
export function FrontRoom(props: {
  /** The id of the heading; absent: the part has none. */
  labelledBy?: string | undefined;
  split?: "bill" | "even" | undefined;
  children: ReactNode;
}) {
  const { labelledBy, split, children } = props;
  return labelledBy === undefined ? (
    <div data-split={split} className="front-room">
      {children}
    </div>
  ) : (
    <section data-split={split} aria-labelledby={labelledBy} className="front-room">
      {children}
    </section>
  );
}

/** Items side by side, as many as fit. */
export function FrontColumns(props: { as?: "div" | "ol"; children: ReactNode }) {
  const { as: Tag = "div", children } = props;
  return <Tag className="front-columns">{children}</Tag>;
}

/** One list of short lines, in as many columns as fit. */
export function FrontList({ children }: { readonly children: ReactNode }) {
  return <ul className="front-list">{children}</ul>;
}

/** The claim of the page: its largest words. */
export function Claim({ children }: { readonly children: ReactNode }) {
  return <h1 className="claim">{children}</h1>;
}
