/**
 * Puts the bodies of Bedrock, Cohere, DashScope and Ollama into the fields of chat completions, as
 * far as the demo upstream reads them.
 */

import type { Around } from "@tollgate/demo/answers/api.ts";
import { isObject, type Json, type JsonObject, objectsOf } from "@tollgate/demo/json.ts";

/** Reads a body of DashScope, which is asked for a stream by a header. */
export function dashscopeBody(body: JsonObject, { header }: Around): JsonObject {
  const isStream =
    header("x-dashscope-sse") === "enable" ||
    (header("accept") ?? "").includes("text/event-stream");
  const fields = { ...objectOf(body["parameters"]), ...objectOf(body["input"]) };
  return { ...body, ...fields, stream: isStream };
}

/** Reads a body of Ollama. */
export function ollamaBody(body: JsonObject): JsonObject {
  const limit = objectOf(body["options"])["num_predict"] ?? null;
  return { ...body, max_tokens: limit, stream: body["stream"] !== false };
}

/** Reads a body of Converse. */
export function converseBody(body: JsonObject): JsonObject {
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

/** Reads a body whose last message stands apart from the history, and whose tools have no schema. */
export function cohereV1Body(body: JsonObject): JsonObject {
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
