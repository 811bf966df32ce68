/** Writes tools that Anthropic runs, for clients of other formats. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalRequest, HostedMeaning } from "#canonical/request.ts";
import { meaningsOf } from "#formats/shared/hosted/hosted-tools.ts";
import { writePlace } from "#formats/shared/hosted/search-place.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { defined } from "#formats/shared/read-json.ts";
import type { Quirks } from "#formats/translation.ts";

/** Returns which tools a provider of the format runs; some need a word in a header. */
export function hostedBy(
  _: CanonicalRequest,
  { takesBetas }: Quirks,
): readonly HostedMeaning["type"][] {
  return takesBetas === true ? ["code-execution", "mcp", "web-search"] : ["web-search"];
}

/** What the header `anthropic-beta` names for a tool. */
const betas = { mcp: "mcp-client-2025-04-04", "code-execution": "code-execution-2025-08-25" };

/** The fields of a request for tools that Anthropic runs. */
type Hosted = {
  readonly tools: readonly JsonObject[];
  readonly servers: Json | undefined;
  readonly betas: readonly string[];
};

export function writeHosted(request: CanonicalRequest, losses: Losses): Hosted {
  const tools: JsonObject[] = [];
  const servers: JsonObject[] = [];
  const words = new Set<string>();
  for (const meaning of meaningsOf(request)) {
    if (meaning.type !== "web-search") words.add(betas[meaning.type]);
    if (meaning.type === "mcp") servers.push(writeServer(meaning));
    else tools.push(writeTool(meaning, losses));
  }
  return { tools, servers: servers.length === 0 ? undefined : servers, betas: [...words] };
}

function writeTool(meaning: Exclude<HostedMeaning, { type: "mcp" }>, losses: Losses): JsonObject {
  const name = nameOf(meaning);
  if (meaning.type === "code-execution") return { type: "code_execution_20250825", name };
  const { allowedDomains, blockedDomains, contextSize, place, usesMax } = meaning;
  losses.addIf(contextSize !== "", "tools.web_search.search_context_size");
  // The format takes one of both lists.
  const blocks = blockedDomains.length > 0 && allowedDomains.length === 0;
  losses.addIf(blockedDomains.length > 0 && !blocks, "tools.web_search.blocked_domains");
  return defined({
    type: "web_search_20250305",
    name,
    max_uses: usesMax ?? undefined,
    allowed_domains: allowedDomains.length === 0 ? undefined : allowedDomains,
    blocked_domains: blocks ? blockedDomains : undefined,
    user_location: writePlace(place),
  });
}

function writeServer({
  allowedTools,
  label,
  token,
  url,
}: Extract<HostedMeaning, { type: "mcp" }>): JsonObject {
  const isLimited = allowedTools !== null;
  return defined({
    type: "url",
    url,
    name: label,
    authorization_token: token || undefined,
    tool_configuration: isLimited ? { enabled: true, allowed_tools: allowedTools } : undefined,
  });
}

/** Returns the name of a tool, by which a choice demands it. */
export function nameOf({ type }: Exclude<HostedMeaning, { type: "mcp" }>): string {
  return type === "web-search" ? "web_search" : "code_execution";
}
