/** Reads a conversation, in the shape of any API, as far as it decides the answer. */

import { isArray, isObject, type Json, type JsonObject, objectsOf, parseObject } from "./json.ts";

/** A function that the client offers. */
type Offered = { readonly name: string; readonly schema: Json | undefined };

export type Turn = {
  /** Bytes of all texts. Media count as nothing. */
  readonly bytes: number;
  /** The last text of a user. */
  readonly last: string;
  /** Whether the conversation ends with a user's text, not with the result of a tool. */
  readonly isAsked: boolean;
  /** Whether the conversation has a result of a tool anywhere. */
  readonly hasResults: boolean;
  readonly tools: readonly Offered[];
  /** Number of pictures. */
  readonly images: number;
  /** The schema that the answer must fit; undefined: the answer is words. */
  readonly shape: Json | undefined;
  /** Whether a function must be called, and which one, by its name. */
  readonly choice: "any" | "auto" | "none" | { readonly name: string };
};

/** Returns the conversation in the field; undefined: there is none. */
export function readTurn(body: JsonObject, field: string): Turn | undefined {
  const given = body[field];
  const items: readonly JsonObject[] =
    typeof given === "string" ? [{ role: "user", content: given }] : objectsOf(given);
  if (items.length === 0) return undefined;
  let bytes = Buffer.byteLength(systemText(body));
  let last = "";
  let images = 0;
  for (const item of items) {
    const text = textOf(item["content"] ?? item["parts"]);
    images += imagesIn(item);
    bytes += Buffer.byteLength(text);
    if (isUser(item)) last = text;
  }
  const final = items.at(-1);
  const isAsked = final !== undefined && isUser(final) && !hasResult(final);
  const tools = readTools(body["tools"]);
  return {
    bytes,
    last,
    isAsked,
    hasResults: items.some(hasResult),
    images,
    shape: readShape(body),
    tools,
    choice: readChoice(body),
  };
}

/** Counts the pictures of a message, which Ollama has beside its text. */
function imagesIn(item: JsonObject): number {
  const beside = isArray(item["images"]) ? item["images"].length : 0;
  const parts = objectsOf(item["content"] ?? item["parts"]);
  return beside + parts.filter(isImage).length;
}

function isImage(part: JsonObject): boolean {
  const { type, image, inlineData } = part;
  if (type === "image" || type === "image_url" || type === "input_image") return true;
  return image !== undefined || inlineData !== undefined;
}

/** Finds the schema of the answer, where each API has it. */
function readShape(body: JsonObject): Json | undefined {
  const { format, generationConfig, outputConfig, output_config, response_format, text } = body;
  if (isObject(format)) return format;
  const inText =
    under(under(text, "format"), "schema") ?? under(under(output_config, "format"), "schema");
  if (inText !== undefined) return inText;
  const gemini =
    under(generationConfig, "responseJsonSchema") ?? under(generationConfig, "responseSchema");
  if (gemini !== undefined) return gemini;
  const structure = under(under(outputConfig, "textFormat"), "structure");
  const converse = under(under(structure, "jsonSchema"), "schema");
  if (typeof converse === "string") return parseObject(converse);
  const named = under(response_format, "json_schema");
  return under(named, "schema") ?? named ?? under(response_format, "schema");
}

function under(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) ? value[name] : undefined;
}

function isUser(item: JsonObject): boolean {
  return item["role"] === "user" || (item["role"] === undefined && item["parts"] !== undefined);
}

function hasResult(item: JsonObject): boolean {
  if (item["role"] === "tool" || item["type"] === "function_call_output") return true;
  return objectsOf(item["content"] ?? item["parts"]).some(
    (part) =>
      part["type"] === "tool_result" ||
      part["functionResponse"] !== undefined ||
      part["toolResult"] !== undefined,
  );
}

function systemText(body: JsonObject): string {
  const instruction = body["systemInstruction"];
  const parts = isObject(instruction) ? instruction["parts"] : undefined;
  return textOf(body["system"] ?? body["instructions"] ?? parts);
}

/** Returns a text, or the text parts of a list. */
function textOf(content: Json | undefined): string {
  if (typeof content === "string") return content;
  let text = "";
  for (const part of objectsOf(content)) {
    if (typeof part["text"] === "string") text += part["text"];
  }
  return text;
}

function readTools(tools: Json | undefined): readonly Offered[] {
  return objectsOf(tools).flatMap((tool) => {
    if (isArray(tool["functionDeclarations"])) {
      return objectsOf(tool["functionDeclarations"]).flatMap(readFunction);
    }
    return readFunction(isObject(tool["function"]) ? tool["function"] : tool);
  });
}

function readFunction(tool: JsonObject): Offered[] {
  const { name } = tool;
  const schema = tool["parameters"] ?? tool["input_schema"] ?? tool["parametersJsonSchema"];
  return typeof name === "string" ? [{ name, schema }] : [];
}

function readChoice(body: JsonObject): Turn["choice"] {
  const config = isObject(body["toolConfig"]) ? body["toolConfig"]["functionCallingConfig"] : null;
  const choice = isObject(config) ? config["mode"] : body["tool_choice"];
  if (isObject(choice)) {
    const named = isObject(choice["function"]) ? choice["function"] : choice;
    if (typeof named["name"] === "string") return { name: named["name"] };
    return choice["type"] === "any" ? "any" : choice["type"] === "none" ? "none" : "auto";
  }
  if (choice === "required" || choice === "REQUIRED" || choice === "ANY") return "any";
  return choice === "none" || choice === "NONE" ? "none" : "auto";
}
