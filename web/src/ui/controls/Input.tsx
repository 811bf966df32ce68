/** A field of one line. */

import type { ComponentProps, ReactNode } from "react";

export type InputProps = Omit<ComponentProps<"input">, "className" | "style" | "prefix"> & {
  /** Shown before the text, inside the field's frame: a unit or an icon. */
  prefix?: ReactNode;
  suffix?: ReactNode;
  invalid?: boolean | undefined;
};

export function Input(props: InputProps) {
  const { prefix, suffix, invalid = false, ...native } = props;
  return (
    <div className="control-box">
      {prefix !== undefined && prefix !== null && (
        <span className="flex shrink-0 items-center pl-2.25 text-muted">{prefix}</span>
      )}
      <input
        autoComplete="off"
        dir="auto"
        {...native}
        aria-invalid={invalid || undefined}
        className="control-text"
      />
      {suffix !== undefined && suffix !== null && (
        <span className="flex shrink-0 items-center gap-1 pr-2.25 text-muted">{suffix}</span>
      )}
    </div>
  );
}
