import type { Json, JsonObject } from "#base/json.ts";
import type { Tool } from "#canonical/request.ts";
import { namespaceJoint } from "#formats/openai-responses/wire.ts";
import { asObject, flagOf, listOf, objectOf, textOf } from "#formats/shared/read-json.ts";

/** Reads the tools. Those of a namespace are named after it, because no other format has them. */
export function parseTools(tools: readonly Json[], namespace = ""): readonly Tool[] {
  return tools.flatMap((each) => parseTool(objectOf(each), namespace));
}

function parseTool(tool: JsonObject, namespace: string): readonly Tool[] {
  const type = textOf(tool["type"]);
  const own = textOf(tool["name"]);
  const name = namespace === "" ? own : `${namespace}${namespaceJoint}${own}`;
  const description = textOf(tool["description"]);
  switch (type) {
    case "function": {
      const parameters = asObject(tool["parameters"]) ?? null;
      // Strict is the default of this format, and of no other.
      const strict = flagOf(tool["strict"]);
      return [{ type: "function", name, description, parameters, strict, cache: null }];
    }
    case "custom":
      return [{ type: "custom", name, description, grammar: asObject(tool["format"]) ?? null }];
    case "namespace":
      return parseTools(listOf(tool["tools"]), name);
    default:
      return [{ type: "hosted", kind: type, raw: tool }];
  }
}

/** A tool by the names of its client: its own, and the namespace that it belongs to. */
export type ToolName = { readonly name: string; readonly namespace: string };

/** Returns the client's names of its tools, by the names that `parseTools` gave them. */
export function clientNames(tools: readonly Json[]): ReadonlyMap<string, ToolName> {
  const names = new Map<string, ToolName>();
  const collect = (list: readonly Json[], namespace: string): void => {
    for (const each of list) {
      const tool = objectOf(each);
      const name = textOf(tool["name"]);
      const full = namespace === "" ? name : `${namespace}${namespaceJoint}${name}`;
      if (tool["type"] === "namespace") collect(listOf(tool["tools"]), full);
      else if (namespace !== "") names.set(full, { name, namespace });
    }
  };
  collect(tools, "");
  return names;
}
