/**
 * The props that every control accepts, by which a form labels, describes and finds it. `id`
 * becomes the id of the element that takes the focus.
 */
export type ControlProps = {
  readonly id?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly invalid?: boolean | undefined;
  readonly autoFocus?: boolean | undefined;
  readonly onBlur?: (() => void) | undefined;
  readonly "aria-label"?: string | undefined;
  readonly "aria-labelledby"?: string | undefined;
  readonly "aria-describedby"?: string | undefined;
};

type Aria = {
  id?: string;
  "aria-label"?: string;
  "aria-labelledby"?: string;
  "aria-describedby"?: string;
  "aria-invalid"?: true;
};

/**
 * Returns the id and ARIA attributes for the element that takes the focus. Absent props are left
 * out, because `undefined` would remove what the library sets itself.
 */
export function ariaOf(props: ControlProps): Aria {
  const aria: Aria = {};
  if (props.id !== undefined) aria.id = props.id;
  for (const name of ["aria-label", "aria-labelledby", "aria-describedby"] as const) {
    const value = props[name];
    if (value !== undefined) aria[name] = value;
  }
  if (props.invalid === true) aria["aria-invalid"] = true;
  return aria;
}
