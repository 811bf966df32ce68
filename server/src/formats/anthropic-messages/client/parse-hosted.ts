/** Reads what tools of Anthropic mean, in words that other formats share. */

import type { JsonObject } from "#base/json.ts";
import type { HostedMeaning, Tool } from "#canonical/request.ts";
import { readPlace } from "#formats/shared/hosted/search-place.ts";
import {
  asObject,
  flagOf,
  listOf,
  numberOf,
  objectOf,
  textOf,
  textsOf,
} from "#formats/shared/read-json.ts";

/** Reads a tool with a dated type. The tools of a server are read with the server. */
export function parseHosted(kind: string, tool: JsonObject): readonly Tool[] {
  if (kind === "mcp_toolset") return [];
  const name = textOf(tool["name"]) || kind;
  return [{ type: "hosted", kind, name, raw: tool, meaning: meaningOf(kind, tool) }];
}

function meaningOf(kind: string, tool: JsonObject): HostedMeaning | null {
  if (kind.startsWith("code_execution_")) return { type: "code-execution" };
  if (!kind.startsWith("web_search_")) return null;
  return {
    type: "web-search",
    allowedDomains: textsOf(tool["allowed_domains"]),
    blockedDomains: textsOf(tool["blocked_domains"]),
    place: readPlace(tool["user_location"]),
    contextSize: "",
    usesMax: numberOf(tool["max_uses"]),
  };
}

/** Reads the servers whose tools Anthropic calls. */
export function parseServers(body: JsonObject): readonly Tool[] {
  const sets = new Map<string, JsonObject>();
  for (const each of listOf(body["tools"])) {
    const tool = objectOf(each);
    if (tool["type"] === "mcp_toolset") sets.set(textOf(tool["mcp_server_name"]), tool);
  }
  return listOf(body["mcp_servers"]).map((each): Tool => {
    const raw = objectOf(each);
    const label = textOf(raw["name"]);
    const meaning: HostedMeaning = {
      type: "mcp",
      label,
      url: textOf(raw["url"]),
      token: textOf(raw["authorization_token"]),
      allowedTools: allowedIn(raw, sets.get(label)),
    };
    return { type: "hosted", kind: "mcp_servers", name: label, raw, meaning };
  });
}

/** Returns the tools of a server that may be called, in either version of the API; null: all. */
function allowedIn(server: JsonObject, set: JsonObject | undefined): readonly string[] | null {
  const { allowed_tools: allowed } = objectOf(server["tool_configuration"]);
  if (Array.isArray(allowed)) return textsOf(allowed);
  const isOn = flagOf(objectOf(set?.["default_config"])["enabled"]) ?? true;
  if (isOn) return null;
  return Object.entries(asObject(set?.["configs"]) ?? {}).flatMap(([name, config]) =>
    objectOf(config)["enabled"] === true ? [name] : [],
  );
}
