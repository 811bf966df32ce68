import { Input } from "#ui/controls/Input.tsx";
import { FieldFrame } from "#ui/form/FieldFrame.tsx";

/**
 * The input for a one-time code: of an authenticator app, or, for a user without the app at hand, a
 * recovery code.
 */
export function CodeField(props: {
  readonly label: string;
  readonly help: string | undefined;
  readonly value: string;
  readonly onChange: (code: string) => void;
}) {
  return (
    <FieldFrame name="code" label={props.label} help={props.help}>
      {(control) => (
        <Input
          {...control}
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          value={props.value}
          onChange={(event) => props.onChange(event.target.value)}
        />
      )}
    </FieldFrame>
  );
}
