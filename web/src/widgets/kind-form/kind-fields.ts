/** The fields of a kind in a form: their texts, and the faults of what was typed. */

import { type Field, parseField } from "@tollgate/contract/kinds.ts";

export type FormField = {
  /** The field's name in the form and in the API. */
  readonly name: string;
  readonly field: Field;
  readonly label: string;
  /** Null: the field has no help. */
  readonly help: string | null;
  /** Whether a secret is saved; it stays unless a new one is typed. */
  readonly isSet: boolean;
};

/** Fields are edited as text; a value of another type was not typed. */
type Typed = Readonly<Record<string, unknown>>;

function textOf(typed: Typed, name: string): string {
  const text = typed[name];
  return typeof text === "string" ? text.trim() : "";
}

/** The faults of the chosen kind's fields: field names with the server's messages. */
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
 * The value to send: what was typed, or `otherwise` if that is invalid. An empty text is sent as
 * such.
 */
export function sentValue({ name, field }: FormField, typed: Typed, otherwise: unknown): unknown {
  const text = textOf(typed, name);
  if (text === "") return "";
  const parsed = parseField(field, text);
  return parsed.ok ? parsed.value : otherwise;
}
