import type { Json, JsonObject } from "#base/json.ts";
import { isJsonObject } from "#canonical/request.ts";
import { joinInstructions } from "#formats/shared/body-values.ts";

const names = ["systemInstruction", "system_instruction"] as const;

/** Puts a text in front of the system instruction, which may be a text or a content. */
export function addInstructions(body: JsonObject, text: string): JsonObject {
  const name = names.find((each) => body[each] !== undefined) ?? names[0];
  return { ...body, [name]: joined(body[name], text) };
}

function joined(own: Json | undefined, text: string): JsonObject {
  if (!isJsonObject(own)) return { parts: [{ text: joinInstructions(text, own) }] };
  const parts = own["parts"] ?? [];
  return { ...own, parts: [{ text }, ...(Array.isArray(parts) ? parts : [parts])] };
}
