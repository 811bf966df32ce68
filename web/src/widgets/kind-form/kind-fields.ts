/** Fields as a form has them: each with its texts, and what is wrong with what was typed. */

import { type Field, parseField } from "@tollgate/contract/kinds.ts";

export type FormField = {
  /** Its name in the form and in the API. */
  readonly name: string;
  readonly field: Field;
  readonly label: string;
  /** Null: none. */
  readonly help: string | null;
  /** A secret is saved, which stays while nothing is typed. */
  readonly isSet: boolean;
};

/** Everything is edited as text; what is no text was not typed. */
type Typed = Readonly<Record<string, unknown>>;

function textOf(typed: Typed, name: string): string {
  const text = typed[name];
  return typeof text === "string" ? text.trim() : "";
}

/** What is wrong with the fields of the kind that was chosen: names and messages of the server. */
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

/** The value to send: what was typed, `otherwise` where that is none, and an empty text as such. */
export function sentValue({ name, field }: FormField, typed: Typed, otherwise: unknown): unknown {
  const text = textOf(typed, name);
  if (text === "") return "";
  const parsed = parseField(field, text);
  return parsed.ok ? parsed.value : otherwise;
}
