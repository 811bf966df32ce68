import type { ReactNode } from "react";

/** Secondary text. */
export function Muted(props: { children: ReactNode }) {
  return <span className="text-muted">{props.children}</span>;
}
