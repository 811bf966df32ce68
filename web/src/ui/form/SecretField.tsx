import { useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { PasswordInput } from "#ui/controls/PasswordInput.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Field } from "./Field.tsx";
import type { PasswordProps } from "./field-types.ts";

/**
 * A field for a secret, with masked text. A saved secret is never shown; the user can only replace
 * it.
 */
export function SecretField(props: PasswordProps<string>) {
  const { name, label, about, help, required = false, disabled = false, isSet = false } = props;
  const { isSet: _, about: _about, ...input } = props;
  const t = useT();
  const [replacing, setReplacing] = useState(false);
  const isShown = !isSet || replacing;
  return (
    <Field
      name={name}
      label={label}
      about={about}
      help={help}
      required={required}
      disabled={disabled}
      secret
    >
      {({ value, onChange, ...control }) => (
        <div className="flex items-center gap-2">
          {isShown ? (
            <div className="min-w-0 flex-1">
              <PasswordInput
                autoComplete="new-password"
                {...input}
                {...control}
                value={typeof value === "string" ? value : ""}
                onChange={(event) => onChange(event.target.value)}
              />
            </div>
          ) : (
            <span className="flex-1 text-sm">
              <Muted>{t("ui.formSecretSet")}</Muted>
            </span>
          )}
          {isSet && (
            <Button
              id={isShown ? undefined : control.id}
              onClick={() => {
                if (replacing) onChange("");
                setReplacing(!replacing);
              }}
            >
              {replacing ? t("ui.formSecretKeep") : t("ui.formSecretReplace")}
            </Button>
          )}
        </div>
      )}
    </Field>
  );
}
