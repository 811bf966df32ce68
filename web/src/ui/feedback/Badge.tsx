import type { ReactNode } from "react";
import { classes } from "#ui/controls/classes.ts";
import { type Tone, toneSoft } from "#ui/tone.ts";

/** A short label that shows a state, such as "disabled". */
export function Badge(props: { tone?: Tone | undefined; icon?: ReactNode; children: ReactNode }) {
  return (
    <span
      className={classes(
        "inline-flex h-5 max-w-full items-center gap-1 rounded-inner px-1.5 text-xs font-medium",
        "whitespace-nowrap",
        toneSoft[props.tone ?? "neutral"],
      )}
    >
      {props.icon}
      <span className="truncate">{props.children}</span>
    </span>
  );
}
