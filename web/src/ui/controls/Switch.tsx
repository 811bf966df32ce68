import type { ReactNode } from "react";
import { ariaOf, type ControlProps } from "./control.ts";

/** A switch: turns something on or off. Without `label` it needs `aria-label`. */
export function Switch(
  props: ControlProps & {
    checked: boolean;
    onChange: (checked: boolean) => void;
    label?: ReactNode;
    name?: string | undefined;
  },
) {
  const { checked, onChange, label, disabled = false } = props;
  const box = (
    <input
      {...ariaOf(props)}
      type="checkbox"
      role="switch"
      name={props.name}
      checked={checked}
      disabled={disabled}
      onBlur={props.onBlur}
      onChange={(event) => onChange(event.target.checked)}
      className="switch-box"
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
