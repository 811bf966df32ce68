import type { Json, JsonObject } from "#base/json.ts";
import type { ToolCallItem } from "#canonical/request.ts";
import { asObject, parseJson } from "./read-json.ts";

/** The field for arguments that are no JSON object, where a format wants an object. */
const rawField = "_raw";

/** The field for the text of a custom tool, where a format has only functions. */
export const customField = "input";

/**
 * Returns the arguments of a tool call as an object, for formats in which arguments are an object
 * and not text. Use it only to write JSON: numbers that JavaScript cannot hold exactly, such as the
 * long ids of some services, are kept as raw JSON, so that no digit is lost.
 */
export function argsObject({
  argsText,
  form,
}: Pick<ToolCallItem, "argsText" | "form">): JsonObject {
  if (form === "text") return { [customField]: argsText };
  if (argsText.trim() === "") return {};
  const parsed = longNumber.test(argsText) ? parseSpelled(argsText) : parseJson(argsText);
  return asObject(parsed) ?? { [rawField]: argsText };
}

/** Matches what may be a number of more digits than JavaScript holds. */
const longNumber = /\d{16}/;

function parseSpelled(text: string): Json | undefined {
  try {
    return exact.parse(text, (_, value, { source }) => {
      const isChanged =
        typeof value === "number" && source !== undefined && source !== String(value);
      return isChanged ? exact.rawJSON(source) : value;
    });
  } catch {
    return undefined;
  }
}

type Reviver = (key: string, value: Json, context: { readonly source?: string }) => Json;

/**
 * What Bun's `JSON` has beside the types of TypeScript: the spelling of each value, and values that
 * are written as they are spelled. Safe cast: `JSON.stringify` is all that reads them.
 */
const exact = JSON as unknown as {
  readonly parse: (text: string, reviver: Reviver) => Json;
  readonly rawJSON: (text: string) => Json;
};

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
