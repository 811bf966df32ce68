import type { Field } from "@tollgate/contract/kinds/kinds.ts";
import { type OptionName, options } from "@tollgate/contract/options/options.ts";
import { choiceKey } from "#i18n/kind-keys.ts";
import { textOrNull, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { FieldControl } from "#widgets/kind-form/FieldControl.tsx";
import { isPriceMap } from "#widgets/money/price-maps.ts";
import { ContentPreview } from "./ContentPreview.tsx";
import { useDrafts } from "./drafts.ts";
import { PairsEditor } from "./PairsEditor.tsx";

export type OptionControlProps = {
  readonly name: OptionName;
  readonly id: string;
  readonly label: string;
  readonly disabled: boolean;
  readonly invalid: boolean;
};

/**
 * The control of an option. Every control reads and writes the option's value as the API's text.
 */
export function OptionControl(props: OptionControlProps) {
  const { name, id, label } = props;
  const t = useT();
  const { textOf, change, isSecretSet, clearSecret } = useDrafts();
  const field: Field = options[name];
  const { type, shownIn } = field;
  const text = textOf(name);
  // Price maps have hundreds of models and a table of their own on another screen, so they are
  // edited as JSON here.
  if ((type === "textMap" || type === "decimalMap") && !isPriceMap(name)) {
    return <PairsEditor {...props} kind={type} />;
  }
  if (type === "pairList") return <PairsEditor {...props} kind="list" />;
  const control = (
    <FieldControl
      field={field}
      id={id}
      label={label}
      value={text}
      onChange={(next) => change(name, next)}
      disabled={props.disabled}
      invalid={props.invalid}
      aria-describedby={`${id}-help`}
      placeholder={
        field.secret
          ? t(isSecretSet(name) ? "settings.secretKeep" : "settings.secretUnset")
          : undefined
      }
      choiceLabel={(word) => textOrNull(choiceKey(name, word), t) ?? word}
    />
  );
  if (field.secret && isSecretSet(name)) {
    return (
      <div className="flex items-center gap-2">
        <div className="min-w-0 flex-1">{control}</div>
        <Button
          disabled={props.disabled}
          aria-label={t("settings.secretClearOf", { name: label })}
          onClick={() => void clearSecret(name)}
        >
          {t("settings.secretClear")}
        </Button>
      </div>
    );
  }
  if (shownIn === undefined) return control;
  const isEmpty = text.trim() === "";
  return (
    <div className={isEmpty ? "" : "grid min-w-0 items-start gap-x-6 gap-y-3 lg:grid-cols-2"}>
      {control}
      {!isEmpty && <ContentPreview text={text} label={label} place={shownIn} />}
    </div>
  );
}
