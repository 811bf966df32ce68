/**
 * Describes what can be set up. The server checks, stores and seals values by this description, and
 * the console draws the form from it (`web/src/widgets/kind-form/`). A field is one thing that can
 * be set. A kind is one of several alternatives, such as a notification way, with the fields it
 * needs: one file in `kinds/`, one line in its list. Options are fields too; their sections take
 * the place of kinds. The texts of a field are in the catalogues of the console under a key that
 * follows from its name.
 */

import { z } from "zod";
import {
  decimalsOption,
  lineText,
  longText,
  wholeOption,
} from "@tollgate/contract/fields/field-schemas.ts";
import {
  type FieldType,
  readFieldText,
  showFieldText,
} from "@tollgate/contract/fields/field-text.ts";
import type { Parsed } from "@tollgate/contract/endpoints/prices.ts";

/** The unit of a number. Beside an amount of `quota`, the form shows its worth in dollars. */
export type FieldUnit =
  | "bytes"
  | "days"
  | "dollars"
  | "megabytes"
  | "minutes"
  | "percent"
  | "quota"
  | "seconds"
  | "yuan";

export type Field<Schema extends z.ZodType = z.ZodType> = {
  readonly type: FieldType;
  /** Validates the value after it was read from text. */
  readonly schema: Schema;
  readonly defaultValue: z.infer<Schema>;
  /**
   * Whether the field is a secret: it is stored encrypted, and the API accepts a new value but
   * never returns the current one.
   */
  readonly secret: boolean;
  readonly unit?: FieldUnit;
  /** The words a `choice` offers. */
  readonly choices?: readonly string[];
  /** An example of a value, shown while the field is empty. */
  readonly placeholder?: string;
  /** Message that refuses an empty field of the chosen kind; absent: the field may be empty. */
  readonly required?: string;
  /** Message for an `address` that is refused because the server must not call it. */
  readonly forbidden?: string;
  /** What the server uses in place of an empty value: the account's own e-mail address. */
  readonly standIn?: "own-email";
  /**
   * A switch can only be turned on once these fields beside it are filled in; of a list of fields
   * one is enough.
   */
  readonly needs?: {
    readonly fields: readonly (string | readonly string[])[];
    readonly message: string;
  };
  /** Where the console shows this text, so that the form can preview it there. */
  readonly shownIn?: "footer" | "notice" | "page";
  /** Turning this switch off asks for a confirmation. */
  readonly confirmsOff?: true;
};

/** Fields by their names, in the order in which they are shown. */
type Fields = Readonly<Record<string, Field>>;

export type Kind<Of extends Fields = Fields> = { readonly id: string; readonly fields: Of };

/** The values of fields, by their names. */
export type ValuesOf<Of extends Fields> = {
  readonly [Name in keyof Of]: z.infer<Of[Name]["schema"]>;
};

/** Joins the fields of all kinds of a list into one object. */
export function allFields<Kinds extends Readonly<Record<string, Kind>>>(
  kinds: Kinds,
): Joined<Kinds[keyof Kinds]["fields"]> {
  const entries = Object.values(kinds).flatMap(({ fields }) => Object.entries(fields));
  // Safe cast: the object has the entries of every member of the union.
  return Object.fromEntries(entries) as Joined<Kinds[keyof Kinds]["fields"]>;
}

/** Turns the union `A | B` into the intersection `A & B`. */
type Joined<Union> = (Union extends unknown ? (member: Union) => void : never) extends (
  joined: infer All,
) => void
  ? All
  : never;

/** Reads a value from its text, or says why the text is invalid; the message may be empty. */
export function parseField({ type, schema }: Field, text: string): Parsed<unknown> {
  const read = readFieldText(type, text);
  if (!read.ok) return read;
  const parsed = schema.safeParse(read.value);
  if (parsed.success) return { ok: true, value: parsed.data };
  return { ok: false, message: parsed.error.issues[0]?.message ?? "" };
}

/** Writes a value as text. */
export function showField({ type }: Pick<Field, "type">, value: unknown): string {
  return showFieldText(type, value);
}

type Extras = Omit<Field, "defaultValue" | "schema" | "secret" | "type">;

/**
 * Defines a field that is not secret. The compiler checks that its default fits the type of its
 * schema.
 */
export function define<Schema extends z.ZodType>(
  definition: Omit<Field<Schema>, "secret">,
): Field<Schema> {
  return { ...definition, secret: false };
}

export function flag(defaultValue: boolean, extras: Extras = {}): Field<z.ZodBoolean> {
  return define({ type: "flag", schema: z.boolean(), defaultValue, ...extras });
}

/** Defines an option that is a whole number in a range. */
export function whole(min: number, max: number, defaultValue: number, unit?: FieldUnit) {
  const counted = unit === undefined ? {} : { unit };
  return define({ type: "number", schema: wholeOption(min, max), defaultValue, ...counted });
}

/** Defines an option of one line of text; empty unless set. */
export function line(max: number) {
  return define({ type: "text", schema: lineText(max), defaultValue: "" });
}

/** Defines an option of Markdown or HTML text; empty unless set. */
export function content(max: number, shownIn: NonNullable<Field["shownIn"]>) {
  return define({ type: "longText", schema: longText(max), defaultValue: "", shownIn });
}

/** The longest secret, in characters. */
const secretMax = 1_000;

/** A secret option. Sending an empty value leaves the stored one unchanged. */
export const secret: Field<z.ZodString> = {
  type: "text",
  schema: lineText(secretMax),
  defaultValue: "",
  secret: true,
};

/** The longest address that the server calls for a user, in characters. */
const addressMax = 1_000;

/** Message that refuses an empty required field, unless the field has a message of its own. */
const requiredMessage = "请填写此项";

/**
 * Defines a required address of a server that a user entered. The server only calls public
 * addresses.
 */
export function address(
  texts: Pick<Field, "forbidden" | "placeholder" | "required">,
): Field<z.ZodString> {
  const { forbidden = "无效的地址" } = texts;
  const schema = lineOf(addressMax, forbidden).regex(/^(https?:\/\/\S+)?$/i, forbidden);
  const required = requiredMessage;
  return define({ type: "address", schema, defaultValue: "", required, forbidden, ...texts });
}

/** Defines a secret that a user saves. Sending an empty value leaves the stored one unchanged. */
export function hiddenText(max: number, rule = `不能超过 ${max} 个字符`): Field<z.ZodString> {
  return { type: "text", schema: lineOf(max, rule), defaultValue: "", secret: true };
}

/**
 * Makes the schema of one line of text, trimmed. Every invalid value is refused with the same
 * message.
 */
function lineOf(max: number, rule: string): z.ZodString {
  return z
    .string(rule)
    .trim()
    .max(max, rule)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u, rule);
}

/** Defines an option that maps names to decimals. */
export function decimals(defaultValue: Readonly<Record<string, string>>) {
  return define({ type: "decimalMap", schema: decimalsOption, defaultValue });
}

export function choice<const Words extends readonly string[]>(
  choices: Words,
  defaultValue: Words[number],
) {
  const schema = z.enum(choices, `只能是 ${choices.join("、")}`);
  return { ...define({ type: "choice", schema, defaultValue }), choices };
}
