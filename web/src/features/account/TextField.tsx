import { useT } from "#i18n/t.ts";
import type { ComponentProps, ReactNode } from "react";
import { Input } from "#ui/controls/Input.tsx";
import { FieldFrame } from "#ui/form/FieldFrame.tsx";

type InputExtras = Pick<
  ComponentProps<"input">,
  "autoComplete" | "inputMode" | "maxLength" | "placeholder" | "spellCheck" | "type"
>;

/**
 * A labelled input for dialogs in which one field is sent before the others, which the form kit
 * does not support.
 */
export function TextField(
  props: InputExtras & {
    readonly name: string;
    readonly label: string;
    readonly help?: string;
    readonly value: string;
    readonly onChange: (value: string) => void;
    /** The error message shown below the input; undefined: the value is valid. */
    readonly fault: string | undefined;
    /** Shown to the right of the input. */
    readonly action?: ReactNode;
  },
) {
  const { name, label, help, value, onChange, fault, action, ...input } = props;
  return (
    <FieldFrame name={name} label={label} help={help} error={fault}>
      {(control) => (
        <div className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <Input
              {...input}
              {...control}
              name={name}
              value={value}
              onChange={(event) => onChange(event.target.value)}
            />
          </div>
          {action}
        </div>
      )}
    </FieldFrame>
  );
}

/**
 * The field for the present password: it proves that the user is not somebody else at an unlocked
 * browser.
 */
export function PresentPassword(props: {
  readonly help: string;
  readonly value: string;
  readonly fault: string | undefined;
  readonly onChange: (password: string) => void;
}) {
  const t = useT();
  return (
    <TextField
      name="password"
      type="password"
      label={t("account.emailPassword")}
      autoComplete="current-password"
      {...props}
    />
  );
}
