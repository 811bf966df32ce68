/**
 * The fields of a kind (such as a notice method) in a form: their texts, and the mistakes in the
 * typed values.
 */

import { type Field, parseField } from "@tollgate/contract/kinds/kinds.ts";

export type FormField = {
  /** The field's name in the form and in the API. */
  readonly name: string;
  readonly field: Field;
  readonly label: string;
  /** Null: the field has no help. */
  readonly help: string | null;
  /** Whether a secret is stored for this field; it is kept unless a new one is typed. */
  readonly isSet: boolean;
};

/** The form's values. Every field is edited as text, so a value of another type is ignored. */
type Typed = Readonly<Record<string, unknown>>;

function textOf(typed: Typed, name: string): string {
  const text = typed[name];
  return typeof text === "string" ? text.trim() : "";
}

/**
 * Finds the invalid fields, as pairs of the field's name and the message that the server would
 * answer.
 */
export function faultsOf(fields: readonly FormField[], typed: Typed): [string, string][] {
  return fields.flatMap(({ name, field, isSet }): [string, string][] => {
    const text = textOf(typed, name);
    if (text === "") {
      return field.required === undefined || isSet ? [] : [[name, field.required]];
    }
    const parsed = parseField(field, text);
    return parsed.ok ? [] : [[name, parsed.message]];
  });
}

/**
 * Returns the value to send for a field: what was typed, or `otherwise` if that is invalid. An
 * empty text is sent as an empty text.
 */
export function sentValue({ name, field }: FormField, typed: Typed, otherwise: unknown): unknown {
  const text = textOf(typed, name);
  if (text === "") return "";
  const parsed = parseField(field, text);
  return parsed.ok ? parsed.value : otherwise;
}
