import type { Field } from "@tollgate/contract/kinds/kinds.ts";
import { unitKey } from "#i18n/kind-keys.ts";
import { useT } from "#i18n/t.ts";
import { Input } from "#ui/controls/Input.tsx";
import { PasswordInput } from "#ui/controls/PasswordInput.tsx";
import { Select } from "#ui/controls/Select.tsx";
import { Switch } from "#ui/controls/Switch.tsx";
import { TagInput } from "#ui/controls/TagInput.tsx";
import { Textarea } from "#ui/controls/Textarea.tsx";
import { JsonEditor } from "#ui/editor/JsonEditor.tsx";
import { QuotaInput } from "#widgets/money/QuotaInput.tsx";

type FieldControlProps = {
  readonly field: Field;
  readonly id: string;
  readonly label: string;
  /** The value in text form, as `contract/src/fields/field-text.ts` describes it. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly onBlur?: () => void;
  readonly disabled: boolean;
  readonly invalid: boolean;
  readonly "aria-describedby": string | undefined;
  readonly placeholder?: string | undefined;
  /** Returns the label of one of the values of a `choice` field; by default the value itself. */
  readonly choiceLabel?: (word: string) => string;
};

/** The control for a field of any type. Every control edits the value in its text form. */
export function FieldControl(props: FieldControlProps) {
  const { field, label, value, onChange, choiceLabel, ...control } = props;
  const t = useT();
  const placeholder = props.placeholder ?? field.placeholder;
  if (field.secret) {
    return (
      <PasswordInput
        {...control}
        value={value}
        autoComplete="new-password"
        onChange={(event) => onChange(event.target.value)}
      />
    );
  }
  switch (field.type) {
    case "flag":
      return (
        <Switch
          id={props.id}
          aria-describedby={props["aria-describedby"]}
          label={label}
          disabled={props.disabled}
          checked={value === "true"}
          onChange={(isOn) => onChange(String(isOn))}
        />
      );
    case "choice":
      return (
        <Select
          {...control}
          items={(field.choices ?? []).map((word) => ({
            value: word,
            label: choiceLabel?.(word) ?? word,
          }))}
          value={value}
          onChange={onChange}
        />
      );
    case "lines":
    case "longText":
      return (
        <Textarea
          {...control}
          value={value}
          rows={field.type === "lines" ? 6 : 7}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    case "list":
      return (
        <TagInput
          {...control}
          value={value === "" ? [] : value.split(",")}
          onChange={(tags) => onChange(tags.join(","))}
        />
      );
    case "textMap":
    case "decimalMap":
    case "pairList":
    case "json":
      return (
        <JsonEditor {...control} label={label} value={value} onChange={onChange} height={160} />
      );
    case "number":
    case "decimal":
    case "text":
    case "address":
    case "email": {
      if (field.unit === "quota") {
        return <QuotaControl {...control} value={value} onChange={onChange} />;
      }
      const suffix = field.unit === undefined ? undefined : t(unitKey(field.unit));
      return (
        <Input
          autoComplete="off"
          {...control}
          {...inputOf[field.type]}
          placeholder={placeholder}
          value={value}
          suffix={suffix === undefined ? undefined : <span className="text-xs">{suffix}</span>}
          onChange={(event) => onChange(event.target.value)}
        />
      );
    }
  }
}

const inputOf = {
  number: { inputMode: "decimal" },
  decimal: { inputMode: "decimal" },
  text: { inputMode: "text" },
  // The input has no type `url`, because browsers reject the placeholders that an address may
  // contain.
  address: { inputMode: "url", spellCheck: false },
  email: { type: "email" },
} as const;

/** Edits quota in dollars, or in units if the server shows those; the text is in units. */
function QuotaControl(
  props: Pick<
    FieldControlProps,
    "aria-describedby" | "disabled" | "id" | "invalid" | "onBlur" | "onChange" | "value"
  >,
) {
  const { value, onChange, ...control } = props;
  return (
    <QuotaInput
      {...control}
      value={value.trim() === "" ? null : Number(value)}
      // NaN becomes a text that no schema accepts, so the form shows its error.
      onChange={(quota) => onChange(quota === null ? "" : String(quota))}
    />
  );
}
