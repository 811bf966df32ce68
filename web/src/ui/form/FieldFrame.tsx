import type { ReactNode } from "react";

/** Label above, help and error below. `id` is the control's. */
export function FieldFrame(props: {
  id: string;
  name: string;
  label: string;
  help: ReactNode;
  error: string | undefined;
  required: boolean;
  grouped: boolean;
  labelled: boolean;
  children: ReactNode;
}) {
  const { id, label, help, error } = props;
  const star = props.required && (
    <span aria-hidden className="text-danger-ink">
      {" *"}
    </span>
  );
  return (
    <div
      data-field={props.name}
      className="flex min-w-0 flex-col gap-1.5"
      {...(props.grouped ? { role: "group", "aria-labelledby": `${id}-label` } : {})}
    >
      {!props.labelled &&
        (props.grouped ? (
          <span id={`${id}-label`} className="text-sm font-medium">
            {label}
            {star}
          </span>
        ) : (
          <label id={`${id}-label`} htmlFor={id} className="text-sm font-medium">
            {label}
            {star}
          </label>
        ))}
      {props.children}
      {help !== undefined && help !== null && (
        <div id={`${id}-help`} className="text-xs text-muted">
          {help}
        </div>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} role="alert" className="text-xs text-danger-ink">
          {error}
        </p>
      )}
    </div>
  );
}
