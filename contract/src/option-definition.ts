/** What an option is, and the words options are declared with. */

import { z } from "zod";
import { decimalsOption, lineText, longText, wholeOption } from "./option-schemas.ts";
import type { OptionKind } from "./option-text.ts";

export type OptionDefinition<Schema extends z.ZodType = z.ZodType> = {
  readonly kind: OptionKind;
  /** Of the value once its text is read; says what is in range. */
  readonly schema: Schema;
  readonly defaultValue: z.infer<Schema>;
  /** True: the API accepts a new value but never returns the present one. */
  readonly secret: boolean;
  /** Of a `choice`: the words to choose from. */
  readonly choices?: readonly string[];
};

/** Checks that the default fits the schema's type; does nothing at run time. */
export function define<Schema extends z.ZodType>(
  definition: Omit<OptionDefinition<Schema>, "secret">,
): OptionDefinition<Schema> {
  return { ...definition, secret: false };
}

export function flag(defaultValue: boolean): OptionDefinition<z.ZodBoolean> {
  return define({ kind: "flag", schema: z.boolean(), defaultValue });
}

/** A whole number in a range. */
export function whole(min: number, max: number, defaultValue: number) {
  return define({ kind: "number", schema: wholeOption(min, max), defaultValue });
}

/** One line of text; empty unless set. */
export function line(max: number) {
  return define({ kind: "text", schema: lineText(max), defaultValue: "" });
}

/** Text of several lines; empty unless set. */
export function content(max: number) {
  return define({ kind: "longText", schema: longText(max), defaultValue: "" });
}

/** Longest secret, in characters. */
const secretMax = 1_000;

/** Kept sealed and never answered; an empty value sent leaves the present one. */
export const secret: OptionDefinition<z.ZodString> = {
  kind: "text",
  schema: lineText(secretMax),
  defaultValue: "",
  secret: true,
};

/** Name → decimal. */
export function decimals(defaultValue: Readonly<Record<string, string>>) {
  return define({ kind: "decimalMap", schema: decimalsOption, defaultValue });
}

export function choice<const Words extends readonly string[]>(
  choices: Words,
  defaultValue: Words[number],
) {
  return {
    ...define({
      kind: "choice",
      schema: z.enum(choices, `只能是 ${choices.join("、")}`),
      defaultValue,
    }),
    choices,
  };
}
