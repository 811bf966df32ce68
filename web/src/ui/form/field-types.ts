/** Props of the fields, and which fields of a form each component fits. */

import type { ComponentProps, ReactNode } from "react";
import type { Item } from "#ui/controls/item.ts";
import type { FieldProps } from "./Field.tsx";

type Own<Name extends string> = Omit<FieldProps, "name"> & { name: Name };

/** Names of the fields of `Form` that hold a `Value`. */
type NameOf<Form, Value> = {
  [Name in keyof Form & string]: Form[Name] extends Value ? Name : never;
}[keyof Form & string];

type InputExtras = Pick<
  ComponentProps<"input">,
  "placeholder" | "autoComplete" | "autoFocus" | "inputMode" | "maxLength" | "spellCheck" | "type"
>;

/** Rows of a key-value editor; keys may repeat while they are edited. */
export type Pairs = readonly (readonly [string, string])[];

export type TextProps<Name extends string> = Own<Name> &
  InputExtras & { prefix?: ReactNode; suffix?: ReactNode };

/**
 * A secret: masked, never kept in a draft. `isSet`: one is saved, which is not shown and stays
 * unless another is typed.
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
  /** A font of fixed width, for code, keys and addresses. */
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
  /** The field has several controls; the label names their group. */
  grouped?: boolean;
  /** The control draws its label itself, as a switch does. */
  labelled?: boolean;
  children: (control: CustomControl<Value>) => ReactNode;
};

/** The fields of a form with the values `Form`; each name is checked against its type. */
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
  /** Unix seconds; null: none. */
  DateTime: (props: DateTimeProps<NameOf<Form, number | null>>) => ReactNode;
  /** JSON as text: the schema decides whether it is valid, the editor shows where it is not. */
  Json: (props: JsonProps<NameOf<Form, string>>) => ReactNode;
  KeyValue: (props: KeyValueProps<NameOf<Form, Pairs>>) => ReactNode;
  Custom: <Name extends keyof Form & string>(props: CustomProps<Name, Form[Name]>) => ReactNode;
  /** The current value of a field, in a component inside the form. */
  useValue: <Name extends keyof Form & string>(name: Name) => Form[Name];
};
