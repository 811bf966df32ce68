import type { ReactNode } from "react";

/** Shows secondary text, in a weaker colour. */
export function Muted(props: { children: ReactNode }) {
  return <span className="text-muted">{props.children}</span>;
}
