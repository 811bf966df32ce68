/** Writes tools that OpenAI runs, for clients of other formats. */

import type { JsonObject } from "#base/json.ts";
import type { HostedMeaning } from "#canonical/request.ts";
import { writePlace } from "#formats/shared/hosted/search-place.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { defined } from "#formats/shared/read-json.ts";

export function writeHosted(meaning: HostedMeaning, losses: Losses): JsonObject {
  switch (meaning.type) {
    case "code-execution":
      return { type: typeOf(meaning), container: { type: "auto" } };
    case "mcp": {
      const { allowedTools, label, token, url } = meaning;
      return defined({
        type: typeOf(meaning),
        server_label: label,
        server_url: url,
        authorization: token || undefined,
        allowed_tools: allowedTools ?? undefined,
        // Clients of other formats know no approvals.
        require_approval: "never",
      });
    }
    case "web-search": {
      const { allowedDomains, blockedDomains, contextSize, place, usesMax } = meaning;
      losses.addIf(blockedDomains.length > 0, "tools.web_search.blocked_domains");
      losses.addIf(usesMax !== null, "tools.web_search.max_uses");
      return defined({
        type: typeOf(meaning),
        filters: allowedDomains.length === 0 ? undefined : { allowed_domains: allowedDomains },
        user_location: writePlace(place),
        search_context_size: contextSize || undefined,
      });
    }
  }
}

/** Returns the type of a tool, by which a choice demands it. */
export function typeOf({ type }: HostedMeaning): string {
  if (type === "web-search") return "web_search";
  return type === "mcp" ? type : "code_interpreter";
}
