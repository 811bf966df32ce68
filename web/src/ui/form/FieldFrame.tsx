import { type ReactNode, useId } from "react";

/** The props with which a control is labelled, described and marked. */
export type FramedControl = {
  readonly id: string;
  readonly invalid: boolean;
  readonly "aria-describedby": string | undefined;
};

/** A label above a control, its help and its error below. */
export function FieldFrame(props: {
  /** The control's id, if other code refers to it. */
  id?: string;
  name: string;
  label: string;
  /** Beside the label, outside of it: a button that explains its word. */
  about?: ReactNode;
  help?: ReactNode;
  error?: string | undefined;
  required?: boolean;
  /** The field has several controls; the label names their group. */
  grouped?: boolean;
  /** The control draws its label itself, as a switch does. */
  labelled?: boolean;
  children: (control: FramedControl) => ReactNode;
}) {
  const { label, error, grouped = false, labelled = false } = props;
  const ownId = useId();
  const id = props.id ?? ownId;
  const help = props.help ?? undefined;
  const described = [
    ...(help === undefined ? [] : [`${id}-help`]),
    ...(error === undefined ? [] : [`${id}-error`]),
  ];
  const star = props.required === true && (
    <span aria-hidden className="text-danger-ink">
      {" *"}
    </span>
  );
  return (
    <div
      data-field={props.name}
      className="flex min-w-0 flex-col gap-1.5"
      {...(grouped ? { role: "group", "aria-labelledby": `${id}-label` } : {})}
    >
      {!labelled && (
        <span className="flex items-center gap-1">
          {grouped ? (
            <span id={`${id}-label`} className="text-sm font-medium">
              {label}
              {star}
            </span>
          ) : (
            <label id={`${id}-label`} htmlFor={id} className="text-sm font-medium">
              {label}
              {star}
            </label>
          )}
          {props.about}
        </span>
      )}
      {props.children({
        id,
        invalid: error !== undefined,
        "aria-describedby": described.length === 0 ? undefined : described.join(" "),
      })}
      {help !== undefined && (
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
