/** Asks for searches of the web, for which the vendors of chat completions have several words. */

import type { Json, JsonObject } from "#base/json.ts";
import type { CanonicalRequest, HostedMeaning } from "#canonical/request.ts";
import { meaningsOf } from "#formats/shared/hosted/hosted-tools.ts";
import { placeFields } from "#formats/shared/hosted/search-place.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { defined } from "#formats/shared/read-json.ts";
import type { Quirks } from "#formats/translation.ts";

/** Models of OpenAI that search for each answer. */
const searchModel = /search/;

/** Returns which tools the provider runs for such a request. */
export function hostedBy(
  { model }: CanonicalRequest,
  { baseModel, webSearch }: Quirks,
): readonly HostedMeaning["type"][] {
  return webSearch !== undefined || searchModel.test(baseModel ?? model) ? ["web-search"] : [];
}

/** The fields of a request for a search, and the tool that stands for it at some vendors. */
type Search = {
  readonly fields: Readonly<Record<string, Json | undefined>>;
  readonly tools: readonly JsonObject[];
};

export function writeSearch(
  request: CanonicalRequest,
  { webSearch }: Quirks,
  losses: Losses,
): Search {
  const search = meaningsOf(request).find(({ type }) => type === "web-search");
  if (search?.type !== "web-search") return { fields: {}, tools: [] };
  const { allowedDomains, blockedDomains, contextSize, place, usesMax } = search;
  losses.addIf(allowedDomains.length + blockedDomains.length > 0, "tools.web_search.filters");
  losses.addIf(usesMax !== null, "tools.web_search.max_uses");
  if (webSearch === "enable_search" || webSearch === "tool") {
    losses.addIf(place !== null, "tools.web_search.user_location");
    losses.addIf(contextSize !== "", "tools.web_search.search_context_size");
    if (webSearch === "enable_search") return { fields: { enable_search: true }, tools: [] };
    return { fields: {}, tools: [{ type: "web_search", web_search: { enable: true } }] };
  }
  const near = place === null ? undefined : placeFields(place);
  const web_search_options = defined({
    search_context_size: contextSize || undefined,
    user_location: near === undefined ? undefined : { type: "approximate", approximate: near },
  });
  return { fields: { web_search_options }, tools: [] };
}
