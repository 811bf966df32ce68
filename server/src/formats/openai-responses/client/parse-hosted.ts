/** Reads what tools of OpenAI mean, in words that other formats share. */

import type { JsonObject } from "#base/json.ts";
import type { HostedMeaning } from "#canonical/request.ts";
import { readPlace } from "#formats/shared/hosted/search-place.ts";
import { asObject, objectOf, textOf, textsOf } from "#formats/shared/read-json.ts";

/** Returns what a choice of tools calls a tool of this type, of which searches have several. */
export function hostedName(type: string): string {
  return type.startsWith("web_search") ? "web_search" : type;
}

/** Returns the meaning of a tool by its type; null: other formats have no such tool. */
export function readMeaning(type: string, tool: JsonObject): HostedMeaning | null {
  if (type.startsWith("web_search")) return readSearch(tool);
  if (type === "code_interpreter") return { type: "code-execution" };
  return type === "mcp" ? readServer(tool) : null;
}

function readSearch(tool: JsonObject): HostedMeaning {
  const filters = objectOf(tool["filters"]);
  const { search_context_size: size } = tool;
  return {
    type: "web-search",
    allowedDomains: textsOf(filters["allowed_domains"]),
    blockedDomains: textsOf(filters["blocked_domains"]),
    place: readPlace(tool["user_location"]),
    contextSize: size === "low" || size === "medium" || size === "high" ? size : "",
    usesMax: null,
  };
}

/** A connector of OpenAI has no address, so that nobody else can reach it. */
function readServer(tool: JsonObject): HostedMeaning | null {
  const url = textOf(tool["server_url"]);
  if (url === "") return null;
  const { allowed_tools: allowed, authorization, headers, server_label: label } = tool;
  const names = Array.isArray(allowed) ? allowed : asObject(allowed)?.["tool_names"];
  const header = textOf(objectOf(headers)["Authorization"]).replace(/^Bearer /, "");
  return {
    type: "mcp",
    label: textOf(label),
    url,
    token: textOf(authorization) || header,
    allowedTools: names === undefined ? null : textsOf(names),
  };
}
