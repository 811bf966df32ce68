/** The fields for name and password of a new account, used by set-up and by registration. */

import { Input } from "#ui/controls/Input.tsx";
import { PasswordInput } from "#ui/controls/PasswordInput.tsx";
import { Field } from "#ui/form/Field.tsx";

export function NewUsername(props: {
  readonly label: string;
  readonly help?: string;
  readonly autoFocus?: boolean;
}) {
  const { autoFocus, ...field } = props;
  return (
    <Field name="username" {...field} required>
      {({ value, onChange, ...control }) => (
        <Input
          {...control}
          value={String(value)}
          onChange={(event) => onChange(event.target.value)}
          autoComplete="username"
          autoFocus={autoFocus}
          autoCapitalize="none"
          spellCheck={false}
        />
      )}
    </Field>
  );
}

export function NewPassword(props: {
  /**
   * The field's name in the form; `confirmPassword` (set-up) and `password2` (registration) hold
   * the repeated password.
   */
  readonly name: "password" | "confirmPassword" | "password2";
  readonly label: string;
  readonly help?: string;
  readonly placeholder?: string;
  readonly autoFocus?: boolean;
}) {
  const { placeholder, autoFocus, ...field } = props;
  return (
    <Field {...field} secret required>
      {({ value, onChange, ...control }) => (
        <PasswordInput
          {...control}
          value={String(value)}
          placeholder={placeholder}
          onChange={(event) => onChange(event.target.value)}
          autoComplete="new-password"
          autoFocus={autoFocus}
        />
      )}
    </Field>
  );
}
