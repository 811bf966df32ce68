import { countValues, type Json, type JsonObject } from "#base/json.ts";
import type { ToolCallItem } from "#canonical/request.ts";
import { asObject, parseJson, parseWhole } from "./read-json.ts";

/** The field for arguments that are no JSON object, where a format wants an object. */
const rawField = "_raw";

/** The field for the text of a custom tool, where a format has only functions. */
export const customField = "input";

/**
 * Returns the arguments of a tool call as an object, for formats in which arguments are an object
 * and not text. Use it only to write JSON: numbers that JavaScript spells otherwise, such as the
 * long ids of some services, are kept as raw JSON, so that no digit is lost.
 */
export function argsObject({
  argsText,
  form,
}: Pick<ToolCallItem, "argsText" | "form">): JsonObject {
  if (form === "text") return { [customField]: argsText };
  if (argsText.trim() === "") return {};
  return asObject(parseWhole(argsText)) ?? { [rawField]: argsText };
}

/** Returns the object that a result's text says; undefined: it stays a text. */
export type ResultReader = (text: string) => JsonObject | undefined;

/**
 * The most values that the results of one request may have as objects, for formats that want them
 * so. Results are texts of any length: from the first one that goes beyond it they stay texts, unread.
 */
const resultValuesMax = 20_000;

/** Opens what reads the results of one request. */
export function openResultReader(): ResultReader {
  let left = resultValuesMax;
  return (text) => {
    if (left <= 0 || !text.trimStart().startsWith("{")) return undefined;
    const count = countValues(text);
    left -= Math.abs(count);
    return count < 0 || left < 0 ? undefined : asObject(parseWhole(text));
  };
}

/** Returns the arguments of a call as JSON text, for formats without custom tools. */
export function argsJson({ argsText, form }: Pick<ToolCallItem, "argsText" | "form">): string {
  if (form === "text") return JSON.stringify({ [customField]: argsText });
  return argsText.trim() === "" ? "{}" : argsText;
}

/** Returns the text that a custom tool gets, when a format without custom tools called it. */
export function customText(argsText: string): string {
  const input = asObject(parseJson(argsText))?.[customField];
  return typeof input === "string" ? input : argsText;
}

/** The parameters of a function that stands for a custom tool. */
export const customParameters: JsonObject = {
  type: "object",
  properties: { [customField]: { type: "string" } },
  required: [customField],
  additionalProperties: false,
};

/** Returns arguments that came as an object, as text. */
export function argsOf(value: Json | undefined): string {
  if (value === undefined || value === null) return "{}";
  return typeof value === "string" ? value : JSON.stringify(value);
}
