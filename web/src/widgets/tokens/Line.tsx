import type { ReactNode } from "react";

/** A value with a label above it, and room for a button that copies it. */
export function Line(props: { label: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <span className="text-sm font-medium">{props.label}</span>
      <div className="flex min-h-9 min-w-0 items-center gap-2">{props.children}</div>
    </div>
  );
}
