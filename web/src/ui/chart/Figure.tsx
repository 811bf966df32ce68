import type { ReactNode } from "react";
import { Muted } from "#ui/feedback/Muted.tsx";

/** A number with its label. */
export function Figure(props: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className="min-w-0">
      <div className="text-xs">
        <Muted>{props.label}</Muted>
      </div>
      <div className="text-lg font-semibold tabular-nums">{props.children}</div>
    </div>
  );
}
