/**
 * Puts the bodies of Bedrock, Cohere, DashScope and Ollama into the fields of chat completions, as
 * far as the demo upstream reads them.
 */

import { isObject, type Json, type JsonObject, objectsOf } from "./json.ts";
import type { Route, ProviderRoute } from "./routes.ts";

/** Returns the body in the fields of chat completions; a body that has them already stays. */
export function commonBody(route: Exclude<Route, ProviderRoute>, body: JsonObject): JsonObject {
  switch (route) {
    case "converse":
    case "invoke-nova":
      return converseBody(body);
    case "cohere-v1":
      return cohereV1Body(body);
    case "dashscope":
      return { ...body, ...objectOf(body["parameters"]), ...objectOf(body["input"]) };
    case "ollama": {
      const limit = objectOf(body["options"])["num_predict"] ?? null;
      return { ...body, max_tokens: limit, stream: body["stream"] !== false };
    }
    case "chat":
    case "cohere-v2":
    case "completions":
    case "embeddings":
    case "gemini":
    case "invoke-claude":
    case "messages":
    case "responses":
      return body;
  }
}

function converseBody(body: JsonObject): JsonObject {
  const config = objectOf(body["toolConfig"]);
  const tools = objectsOf(config["tools"]).flatMap(({ toolSpec }) => {
    const { name = null, inputSchema } = objectOf(toolSpec);
    return isObject(toolSpec) ? [{ name, parameters: objectOf(inputSchema)["json"] ?? {} }] : [];
  });
  const choice = objectOf(config["toolChoice"]);
  const any = choice["any"] === undefined ? "auto" : "required";
  const limit = objectOf(body["inferenceConfig"])["maxTokens"] ?? null;
  return { ...body, tools, tool_choice: choice["tool"] ?? any, max_tokens: limit };
}

/** The last message stands apart from the history, and tools have no schema. */
function cohereV1Body(body: JsonObject): JsonObject {
  const message = (role: string, content: Json): JsonObject => ({ role, content });
  const history = objectsOf(body["chat_history"]).map((item) =>
    message(textOf(item["role"]).toLowerCase(), item["message"] ?? ""),
  );
  const asked = body["message"] ?? "";
  const last = asked === "" ? [] : [message("user", asked)];
  const results = objectsOf(body["tool_results"]).map(() => message("tool", ""));
  const tools = objectsOf(body["tools"]).map((tool) => {
    const parameters = Object.entries(objectOf(tool["parameter_definitions"]));
    const properties = parameters.map(([name, parameter]) => [
      name,
      { type: schemaTypes[textOf(objectOf(parameter)["type"])] ?? "string" },
    ]);
    const schema = { type: "object", properties: Object.fromEntries(properties) as JsonObject };
    return { name: tool["name"] ?? null, parameters: schema };
  });
  const messages = [...history, ...last, ...results];
  return { ...body, system: body["preamble"] ?? null, messages, tools };
}

/** Types of JSON Schema by those of Cohere's first format. */
const schemaTypes: Readonly<Record<string, string>> = {
  Dict: "object",
  List: "array",
  bool: "boolean",
  float: "number",
  int: "integer",
  str: "string",
};

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
