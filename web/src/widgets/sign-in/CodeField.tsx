import { Input } from "#ui/controls/Input.tsx";
import { FieldFrame } from "#ui/form/FieldFrame.tsx";

/** A one-time code of an authenticator app, or a recovery code where there is no app. */
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
