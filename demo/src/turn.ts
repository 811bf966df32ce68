/** Reads a conversation, in the shape of any route, as far as it decides the answer. */

import { isArray, isObject, type Json, type JsonObject, objectsOf } from "./json.ts";
import type { Route } from "./routes.ts";

/** A function that the client offers. */
type Offered = { readonly name: string; readonly schema: Json | undefined };

export type Turn = {
  /** Bytes of all texts. Media count as nothing. */
  readonly bytes: number;
  /** The last text of a user. */
  readonly last: string;
  /** Whether the conversation ends with a user's text, not with the result of a tool. */
  readonly isAsked: boolean;
  readonly tools: readonly Offered[];
  /** Whether a function must be called, and which one, by its name. */
  readonly choice: "any" | "auto" | "none" | { readonly name: string };
};

type ConversationRoute = Exclude<Route, "completions" | "embeddings">;

/** The field with the conversation. */
export const conversationFields: Readonly<Record<ConversationRoute, string>> = {
  chat: "messages",
  gemini: "contents",
  messages: "messages",
  responses: "input",
};

/** Returns the conversation; undefined: there is none. */
export function readTurn(route: ConversationRoute, body: JsonObject): Turn | undefined {
  const given = body[conversationFields[route]];
  const items: readonly JsonObject[] =
    typeof given === "string" ? [{ role: "user", content: given }] : objectsOf(given);
  if (items.length === 0) return undefined;
  let bytes = Buffer.byteLength(systemText(body));
  let last = "";
  for (const item of items) {
    const text = textOf(item["content"] ?? item["parts"]);
    bytes += Buffer.byteLength(text);
    if (isUser(item)) last = text;
  }
  const final = items.at(-1);
  const isAsked = final !== undefined && isUser(final) && !hasResult(final);
  return { bytes, last, isAsked, tools: readTools(body["tools"]), choice: readChoice(body) };
}

function isUser(item: JsonObject): boolean {
  return item["role"] === "user" || (item["role"] === undefined && item["parts"] !== undefined);
}

function hasResult(item: JsonObject): boolean {
  return objectsOf(item["content"] ?? item["parts"]).some(
    (part) => part["type"] === "tool_result" || part["functionResponse"] !== undefined,
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
  if (choice === "required" || choice === "ANY") return "any";
  return choice === "none" || choice === "NONE" ? "none" : "auto";
}
