/** The types of a form's fields: the props of each kind of field, and which values it fits. */

import type { ComponentProps, ReactNode } from "react";
import type { Item } from "#ui/controls/item.ts";
import type { FieldProps } from "./Field.tsx";

type Own<Name extends string> = Omit<FieldProps, "name"> & { name: Name };

/** The names of those fields of `Form` whose value is a `Value`. */
type NameOf<Form, Value> = {
  [Name in keyof Form & string]: Form[Name] extends Value ? Name : never;
}[keyof Form & string];

type InputExtras = Pick<
  ComponentProps<"input">,
  "placeholder" | "autoComplete" | "autoFocus" | "inputMode" | "maxLength" | "spellCheck" | "type"
>;

/** The rows of a key-value editor. While they are edited, a key may occur more than once. */
export type Pairs = readonly (readonly [string, string])[];

export type TextProps<Name extends string> = Own<Name> &
  InputExtras & { prefix?: ReactNode; suffix?: ReactNode };

/**
 * A field for a secret: masked, never stored in a draft. `isSet`: a secret is saved; it is not
 * shown, and it stays unless the user types another.
 */
export type PasswordProps<Name extends string> = Own<Name> & InputExtras & { isSet?: boolean };

export type NumberProps<Name extends string> = Own<Name> & {
  min?: number;
  max?: number;
  step?: number;
  unit?: string;
  placeholder?: string;
};

export type SelectProps<Name extends string> = Own<Name> & {
  items: readonly Item<string | number>[];
  placeholder?: string;
};

export type ComboboxProps<Name extends string> = Own<Name> & {
  items: readonly Item[];
  placeholder?: string;
  onSearch?: (text: string) => void;
  loading?: boolean;
  creatable?: boolean;
  clearable?: boolean;
};

export type MultiComboboxProps<Name extends string> = Own<Name> & {
  items: readonly Item[];
  placeholder?: string;
  creatable?: boolean;
};

export type TagsProps<Name extends string> = Own<Name> & { placeholder?: string };
export type SwitchProps<Name extends string> = Own<Name>;
export type TextareaProps<Name extends string> = Own<Name> & {
  rows?: number;
  placeholder?: string;
  /** Shows the text in a font of fixed width, for code, keys and addresses. */
  fixedWidth?: boolean;
};
export type DateTimeProps<Name extends string> = Own<Name> & { clearable?: boolean };
export type JsonProps<Name extends string> = Own<Name> & { height?: number };

export type KeyValueProps<Name extends string> = Own<Name> & {
  keyLabel: string;
  valueLabel: string;
  keyItems?: readonly Item[];
  valueItems?: readonly Item[];
};

export type CustomControl<Value> = {
  value: Value;
  onChange: (value: Value) => void;
  onBlur: () => void;
  id: string;
  invalid: boolean;
  disabled: boolean;
  "aria-describedby": string | undefined;
};

export type CustomProps<Name extends string, Value> = Own<Name> & {
  /** The field consists of several controls, so the label names their group. */
  grouped?: boolean;
  /** The control draws the label itself, as a switch does. */
  labelled?: boolean;
  children: (control: CustomControl<Value>) => ReactNode;
};

/**
 * The field components for a form with the values `Form`. Each accepts only names of fields whose
 * type it fits.
 */
export type Fields<Form> = {
  Text: (props: TextProps<NameOf<Form, string>>) => ReactNode;
  Password: (props: PasswordProps<NameOf<Form, string>>) => ReactNode;
  Number: (props: NumberProps<NameOf<Form, number | null>>) => ReactNode;
  Select: (props: SelectProps<NameOf<Form, string | number>>) => ReactNode;
  Combobox: (props: ComboboxProps<NameOf<Form, string>>) => ReactNode;
  MultiCombobox: (props: MultiComboboxProps<NameOf<Form, readonly string[]>>) => ReactNode;
  Tags: (props: TagsProps<NameOf<Form, readonly string[]>>) => ReactNode;
  Switch: (props: SwitchProps<NameOf<Form, boolean>>) => ReactNode;
  Textarea: (props: TextareaProps<NameOf<Form, string>>) => ReactNode;
  /** A field for a time in Unix seconds; null: none. */
  DateTime: (props: DateTimeProps<NameOf<Form, number | null>>) => ReactNode;
  /**
   * A field for JSON as text. The schema decides whether the text is valid; the editor shows where
   * it is not.
   */
  Json: (props: JsonProps<NameOf<Form, string>>) => ReactNode;
  KeyValue: (props: KeyValueProps<NameOf<Form, Pairs>>) => ReactNode;
  Custom: <Name extends keyof Form & string>(props: CustomProps<Name, Form[Name]>) => ReactNode;
  /** Returns the current value of a field, for a component inside the form. */
  useValue: <Name extends keyof Form & string>(name: Name) => Form[Name];
};
