/**
 * Reads the fields of a request's body that decide its model, its price and its hold. The same
 * bytes go to the upstream, so a body is refused where two JSON parsers may read it differently.
 */

import { readNumber, readString, scanObject, type Span } from "#base/json-scan.ts";
import type { BodyRefusal, RequestPath } from "#formats/format.ts";
import { isEmpty, isModelName, readFlag } from "#formats/shared/body-values.ts";
import { mostOf, scanFault } from "#formats/shared/scan/crowded.ts";

/** The fields of one body. The first thing that is wrong with them is kept in `refusal`. */
export type BodyFields = {
  readonly values: ReadonlyMap<string, Span>;
  /** Returns the model that the body names, or else this one. */
  model(otherwise: string | null): string;
  /** Requires a field that is not empty, of one of these kinds. */
  required(name: string, kinds: readonly Span["kind"][]): Span | undefined;
  /** Reads a whole number; `absent` if the field is missing. */
  whole(name: string, range: WholeRange): number;
  flag(name: string): boolean;
  /** Reads a text; empty if the field is missing. */
  text(name: string): string;
  /** Refuses the body because of a field. */
  refuse(param: string, message: string): void;
  refusal(): BodyRefusal | undefined;
};

const crowding = { most: mostOf("images") };

type WholeRange = { readonly min: number; readonly max: number; readonly absent: number };

/**
 * @param keys all fields that are read.
 * @param code the code of refusals.
 */
export function openBodyFields(
  bytes: Uint8Array,
  keys: readonly string[],
  { code, isForm }: { readonly code: string; readonly isForm: boolean },
): BodyFields {
  const scan = scanObject(bytes, keys, crowding);
  const { doubled, miscased, values } = scan;
  let refusal: BodyRefusal | undefined;
  const refuse = (param: string, message: string): void => {
    refusal ??= { code, param, message };
  };
  const [twice] = doubled;
  const [other] = miscased;
  const fault = scanFault(scan);
  if (fault !== "") refuse("", fault);
  else if (twice !== undefined) refuse(twice, `field ${twice} occurs more than once`);
  else if (other !== undefined) refuse(other, `field ${other} must be written in lower case`);
  const given = (name: string): Span | undefined => {
    const span = values.get(name);
    return span === undefined || span.kind === "null" ? undefined : span;
  };
  const text = (name: string): string => {
    const span = given(name);
    const value = span === undefined ? "" : readString(bytes, span);
    if (value === undefined) refuse(name, `${name} is invalid`);
    return value ?? "";
  };
  return {
    values,
    model(otherwise) {
      const model = text("model") || (otherwise ?? "");
      if (model === "") refuse("model", "model is required");
      else if (!isModelName(model)) refuse("model", "model is invalid");
      return model;
    },
    required(name, kinds) {
      const span = given(name);
      if (span === undefined || isEmpty(bytes, span)) refuse(name, `field ${name} is required`);
      else if (!kinds.includes(span.kind)) refuse(name, `${name} is invalid`);
      return span;
    },
    whole(name, { min, max, absent }) {
      const span = given(name);
      if (span === undefined) return absent;
      // The fields of a form are texts.
      const value = isForm ? wholeText(text(name)) : readNumber(bytes, span);
      if (value !== undefined && Number.isInteger(value) && value >= min && value <= max) {
        return value;
      }
      refuse(name, `${name} must be a whole number from ${min} to ${max}`);
      return absent;
    },
    flag(name) {
      const span = given(name);
      if (span === undefined) return false;
      const value = isForm ? flagText(text(name)) : readFlag(bytes, span);
      if (value === "invalid") refuse(name, `${name} is invalid`);
      return value === true;
    },
    text,
    refuse,
    refusal: () => refusal,
  };
}

function wholeText(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function flagText(text: string): boolean | "invalid" {
  return text === "true" || text === "1" || (text === "false" || text === "0" ? false : "invalid");
}

/** Whether the request came as a form. */
export function isForm({ files }: RequestPath): boolean {
  return files !== undefined;
}
