/** A field of several lines. */

import type { ComponentProps } from "react";
import { classes } from "./classes.ts";

type TextareaProps = Omit<ComponentProps<"textarea">, "className" | "style"> & {
  invalid?: boolean | undefined;
  /** Shows the text in a font of fixed width, for code, keys and addresses. */
  fixedWidth?: boolean | undefined;
};

export function Textarea(props: TextareaProps) {
  const { invalid = false, fixedWidth = false, rows = 3, ...native } = props;
  return (
    <div className="control-box">
      <textarea
        dir="auto"
        {...native}
        rows={rows}
        aria-invalid={invalid || undefined}
        className={classes("control-text block resize-y py-1.5", fixedWidth && "font-mono text-sm")}
      />
    </div>
  );
}
