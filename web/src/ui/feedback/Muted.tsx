import type { ReactNode } from "react";

/** Secondary text, in a weaker colour. */
export function Muted(props: { children: ReactNode }) {
  return <span className="text-muted">{props.children}</span>;
}
