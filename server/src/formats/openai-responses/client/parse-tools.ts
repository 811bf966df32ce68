import type { Json, JsonObject } from "#base/json.ts";
import type { Tool } from "#canonical/request.ts";
import { namespaceJoint } from "#formats/openai-responses/wire.ts";
import { hostedName, readMeaning } from "./parse-hosted.ts";
import { asObject, flagOf, listOf, objectOf, textOf } from "#formats/shared/read-json.ts";

/**
 * Returns the tools of a request wherever the format allows them: in its own field, and in items of
 * the input, as Codex sends all of its tools or those that a search of the client has found.
 */
function toolsOf(body: JsonObject): readonly Json[] {
  const inInput = listOf(body["input"]).flatMap((each) => {
    const item = objectOf(each);
    return toolItems.has(textOf(item["type"])) ? listOf(item["tools"]) : [];
  });
  return [...listOf(body["tools"]), ...inInput];
}

/** Types of input items that have tools. */
const toolItems: ReadonlySet<string> = new Set(["additional_tools", "tool_search_output"]);

/**
 * Reads the tools. Those of a namespace are named after it, because no other format has them. A name
 * that comes again, as in a later search, stands for its last tool.
 */
export function parseTools(body: JsonObject): readonly Tool[] {
  const named = new Map<string, Tool>();
  const others: Tool[] = [];
  for (const tool of readTools(toolsOf(body), "")) {
    if (tool.type === "hosted") others.push(tool);
    else named.set(tool.name, tool);
  }
  return [...named.values(), ...others];
}

function readTools(tools: readonly Json[], namespace: string): readonly Tool[] {
  return tools.flatMap((each) => parseTool(objectOf(each), namespace));
}

function parseTool(tool: JsonObject, namespace: string): readonly Tool[] {
  const type = textOf(tool["type"]);
  // Some clients write functions as chat completions have them.
  const fields = type === "function" ? (asObject(tool["function"]) ?? tool) : tool;
  const name = fullName(textOf(fields["name"]), namespace);
  const description = textOf(fields["description"]);
  switch (type) {
    case "function": {
      const parameters = asObject(fields["parameters"]) ?? null;
      // Strict is the default of this format, and of no other.
      const strict = flagOf(fields["strict"]);
      return [{ type: "function", name, description, parameters, strict, cache: null }];
    }
    case "custom":
      return [{ type: "custom", name, description, grammar: asObject(tool["format"]) ?? null }];
    case "namespace":
      return readTools(listOf(tool["tools"]), name);
    case searchTool: {
      if (!isOfClient(tool)) return [readHosted(type, tool)];
      const parameters = asObject(tool["parameters"]) ?? null;
      return [{ type: "function", name: type, description, parameters, strict: null, cache: null }];
    }
    default:
      return [readHosted(type, tool)];
  }
}

function readHosted(type: string, tool: JsonObject): Tool {
  const meaning = readMeaning(type, tool);
  return { type: "hosted", kind: type, name: hostedName(type), raw: tool, meaning };
}

/** The type of the tool that finds other tools, which is also the name that other formats know it by. */
export const searchTool = "tool_search";

/** Whether the client runs a search for tools, and not OpenAI. */
export function isOfClient({ execution }: JsonObject): boolean {
  return execution === "client";
}

/** Whether the client has a search for tools that it runs itself. */
export function hasOwnSearch(body: JsonObject): boolean {
  return toolsOf(body).some((each) => {
    const tool = objectOf(each);
    return tool["type"] === searchTool && isOfClient(tool);
  });
}

/** Returns the names of the tools that a search has found, as other formats know them. */
export function namesIn(found: JsonObject): readonly string[] {
  return readTools(listOf(found["tools"]), "").map(({ name }) => name);
}

/** Returns the name of a tool of a namespace in formats without namespaces. */
export function fullName(name: string, namespace: string): string {
  return namespace === "" ? name : `${namespace}${namespaceJoint}${name}`;
}

/** A tool by the names of its client: its own, and the namespace that it belongs to. */
export type ToolName = { readonly name: string; readonly namespace: string };

/** Returns the client's names of its tools, by the names that `parseTools` gave them. */
export function clientNames(body: JsonObject): ReadonlyMap<string, ToolName> {
  const names = new Map<string, ToolName>();
  const collect = (list: readonly Json[], namespace: string): void => {
    for (const each of list) {
      const tool = objectOf(each);
      const name = textOf(tool["name"]);
      const full = fullName(name, namespace);
      if (tool["type"] === "namespace") collect(listOf(tool["tools"]), full);
      else if (namespace !== "") names.set(full, { name, namespace });
    }
  };
  collect(toolsOf(body), "");
  return names;
}
