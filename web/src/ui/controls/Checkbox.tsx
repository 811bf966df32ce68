import type { MouseEvent, ReactNode } from "react";
import { ariaOf, type ControlProps } from "./control.ts";

/**
 * A checkbox; `mixed` shows that only some of several things are checked. A native element, because
 * a page of a hundred rows has a hundred of them. `onChange` also gets the click event, which tells
 * whether Shift was held to select a range.
 */
export function Checkbox(
  props: ControlProps & {
    checked: boolean | "mixed";
    onChange: (checked: boolean, event: MouseEvent<HTMLInputElement>) => void;
    label?: ReactNode;
    name?: string | undefined;
  },
) {
  const { checked, onChange, label, disabled = false } = props;
  const box = (
    <input
      {...ariaOf(props)}
      ref={(element) => {
        if (element !== null) element.indeterminate = checked === "mixed";
      }}
      type="checkbox"
      name={props.name}
      checked={checked === true}
      disabled={disabled}
      onBlur={props.onBlur}
      onClick={(event) => onChange(event.currentTarget.checked, event)}
      // React requires a change handler beside `checked`; the click handler above does the work,
      // because only its event has the modifier keys.
      onChange={ignore}
      className="check-box"
    />
  );
  if (label === undefined || label === null) return box;
  return (
    <label className="inline-flex min-h-control-small cursor-pointer items-center gap-2">
      {box}
      <span className={disabled ? "text-faint" : undefined}>{label}</span>
    </label>
  );
}

function ignore(): void {}
