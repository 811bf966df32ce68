import { type ReactNode, useId } from "react";

/** The props by which a control is labelled, described and marked as invalid. */
export type FramedControl = {
  readonly id: string;
  readonly invalid: boolean;
  readonly "aria-describedby": string | undefined;
};

/** The parts of a field around its control: the label above, help and error below. */
export function FieldFrame(props: {
  /** The control's id, needed if other code refers to the control. */
  id?: string;
  name: string;
  label: string;
  /**
   * A button beside the label that explains the label's word. It is not inside the label, whose
   * clicks focus the control.
   */
  about?: ReactNode;
  help?: ReactNode;
  error?: string | undefined;
  required?: boolean;
  /** The field consists of several controls, so the label names their group. */
  grouped?: boolean;
  /** The control draws the label itself, as a switch does. */
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
