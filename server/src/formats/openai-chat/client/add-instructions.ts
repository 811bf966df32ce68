import type { Json, JsonObject } from "#base/json.ts";
import { isJsonObject } from "#canonical/request.ts";
import { joinInstructions } from "#formats/shared/body-values.ts";

/**
 * Puts a text in front of the system message, or adds one. Upstreams may accept only one, and only
 * as the first message.
 */
export function addInstructions(body: JsonObject, text: string): JsonObject {
  const given = body["messages"];
  const messages: readonly Json[] = Array.isArray(given) ? given : [];
  const [first, ...others] = messages;
  if (!isInstruction(first)) {
    return { ...body, messages: [{ role: "system", content: text }, ...messages] };
  }
  const { content } = first;
  const joined = Array.isArray(content)
    ? [{ type: "text", text }, ...content]
    : joinInstructions(text, content);
  return { ...body, messages: [{ ...first, content: joined }, ...others] };
}

function isInstruction(message: Json | undefined): message is JsonObject {
  if (!isJsonObject(message)) return false;
  return message["role"] === "system" || message["role"] === "developer";
}
