import { Combobox } from "#ui/controls/Combobox.tsx";
import { Input } from "#ui/controls/Input.tsx";
import { MultiCombobox } from "#ui/controls/MultiCombobox.tsx";
import { NumberInput } from "#ui/controls/NumberInput.tsx";
import { Select } from "#ui/controls/Select.tsx";
import { Switch } from "#ui/controls/Switch.tsx";
import { TagInput } from "#ui/controls/TagInput.tsx";
import { Textarea } from "#ui/controls/Textarea.tsx";
import { DateTimePicker } from "#ui/date/DateTimePicker.tsx";
import { JsonEditor } from "#ui/editor/JsonEditor.tsx";
import { KeyValueEditor } from "#ui/editor/KeyValueEditor.tsx";
import { Field, useFormValue } from "./Field.tsx";
import type * as types from "./field-types.ts";
import { SecretField } from "./SecretField.tsx";

/**
 * Returns the field components for a form with the values `Form`: the same components for all
 * forms, only typed by its names.
 */
export function fieldsOf<Form>(): types.Fields<Form> {
  // Safe cast: at run time a field accepts any name, and the form's `values` have the type `Form`.
  return fields as unknown as types.Fields<Form>;
}

const fields = {
  Text: TextField,
  Password: SecretField,
  Number: NumberField,
  Select: SelectField,
  Combobox: ComboboxField,
  MultiCombobox: MultiComboboxField,
  Tags: TagsField,
  Switch: SwitchField,
  Textarea: TextareaField,
  DateTime: DateTimeField,
  Json: JsonField,
  KeyValue: KeyValueField,
  Custom: CustomField,
  useValue: useFormValue,
};

function TextField(props: types.TextProps<string>) {
  const { name, label, about, help, required = false, disabled = false, ...input } = props;
  return (
    <Field {...{ name, label, about, help, required, disabled }}>
      {({ value, onChange, ...control }) => (
        <Input
          autoComplete="off"
          {...input}
          {...control}
          value={asText(value)}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

function NumberField(props: types.NumberProps<string>) {
  const { name, label, about, help, required = false, disabled = false, ...input } = props;
  return (
    <Field {...{ name, label, about, help, required, disabled }}>
      {({ value, ...control }) => (
        <NumberInput {...input} {...control} value={asNumber(value)} keepsOutOfRange />
      )}
    </Field>
  );
}

function SelectField(props: types.SelectProps<string>) {
  const { name, label, about, help, required = false, disabled = false, ...select } = props;
  return (
    <Field {...{ name, label, about, help, required, disabled }}>
      {({ value, ...control }) => (
        <Select
          {...select}
          {...control}
          value={typeof value === "number" ? value : asText(value)}
        />
      )}
    </Field>
  );
}

function ComboboxField(props: types.ComboboxProps<string>) {
  const { name, label, about, help, required = false, disabled = false, ...combobox } = props;
  return (
    <Field {...{ name, label, about, help, required, disabled }}>
      {({ value, ...control }) => <Combobox {...combobox} {...control} value={asText(value)} />}
    </Field>
  );
}

function MultiComboboxField(props: types.MultiComboboxProps<string>) {
  const { name, label, about, help, required = false, disabled = false, ...combobox } = props;
  return (
    <Field {...{ name, label, about, help, required, disabled }}>
      {({ value, ...control }) => (
        <MultiCombobox {...combobox} {...control} value={asTexts(value)} />
      )}
    </Field>
  );
}

function TagsField(props: types.TagsProps<string>) {
  const { name, label, about, help, required = false, disabled = false, ...input } = props;
  return (
    <Field {...{ name, label, about, help, required, disabled }}>
      {({ value, ...control }) => <TagInput {...input} {...control} value={asTexts(value)} />}
    </Field>
  );
}

function SwitchField(props: types.SwitchProps<string>) {
  return (
    <Field {...props} labelled>
      {({ value, onChange, id, disabled }) => (
        <Switch
          id={id}
          label={props.label}
          checked={value === true}
          onChange={onChange}
          disabled={disabled}
        />
      )}
    </Field>
  );
}

function TextareaField(props: types.TextareaProps<string>) {
  const { name, label, about, help, required = false, disabled = false, ...textarea } = props;
  return (
    <Field {...{ name, label, about, help, required, disabled }}>
      {({ value, onChange, ...control }) => (
        <Textarea
          {...textarea}
          {...control}
          value={asText(value)}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}

function DateTimeField(props: types.DateTimeProps<string>) {
  const { name, label, about, help, required = false, disabled = false, clearable = false } = props;
  return (
    <Field {...{ name, label, about, help, required, disabled }}>
      {({ value, ...control }) => (
        <DateTimePicker {...control} clearable={clearable} value={asNumber(value)} />
      )}
    </Field>
  );
}

function JsonField(props: types.JsonProps<string>) {
  const { height, ...own } = props;
  return (
    <Field {...own} grouped>
      {({ value, onChange, id, invalid }) => (
        <JsonEditor
          id={id}
          label={props.label}
          invalid={invalid}
          value={asText(value)}
          onChange={onChange}
          {...(height === undefined ? {} : { height })}
        />
      )}
    </Field>
  );
}

function KeyValueField(props: types.KeyValueProps<string>) {
  const { keyLabel, valueLabel, keyItems, valueItems, ...own } = props;
  return (
    <Field {...own} grouped>
      {({ value, onChange, id, invalid }) => (
        <KeyValueEditor
          id={id}
          invalid={invalid}
          keyLabel={keyLabel}
          valueLabel={valueLabel}
          keyItems={keyItems}
          valueItems={valueItems}
          value={asPairs(value)}
          onChange={onChange}
        />
      )}
    </Field>
  );
}

function CustomField(props: types.CustomProps<string, unknown>) {
  const { children, ...own } = props;
  return <Field {...own}>{children}</Field>;
}

function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function asNumber(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}

function asTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function asPairs(value: unknown): [string, string][] {
  if (!Array.isArray(value)) return [];
  const rows: unknown[] = value;
  return rows.map((row) => (Array.isArray(row) ? [String(row[0]), String(row[1])] : ["", ""]));
}
