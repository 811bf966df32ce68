/** Filters of the log whose values are listed with how many calls have them. */

import type { LogFacet, LogFacetValues } from "@tollgate/contract/endpoints/log-answers.ts";
import type { T } from "#i18n/t.ts";
import type { Item } from "#ui/controls/item.ts";
import type { Suggestions } from "#ui/table/column.ts";
import { endingText } from "#features/logs/describe-log.ts";
import type { LogInput } from "#features/logs/logs.api.ts";

/** A filter of the list: several facets are of the one by how calls ended. */
export type FacetFilter =
  | "channel"
  | "conversation"
  | "ending"
  | "group"
  | "model"
  | "tag"
  | "token"
  | "tokenId"
  | "user";

const facetsOf: Readonly<Record<FacetFilter, readonly LogFacet[]>> = {
  channel: ["channel"],
  conversation: ["conversation"],
  ending: ["finish", "status", "reason"],
  group: ["group"],
  model: ["model"],
  tag: ["tag"],
  token: ["token"],
  tokenId: ["token"],
  user: ["user"],
};

/**
 * Makes the suggestions of a filter.
 *
 * @param input says what the list shows when the field is opened.
 */
export function facetSuggestions(
  filter: FacetFilter,
  { input, read, t }: { input: LogInput; read: Suggestions["read"]; t: T },
): Suggestions {
  return {
    read,
    say: (value) => sayValue(filter, value, t),
    async find(prefix, signal) {
      // Loaded with the first field that is opened.
      const { readFacet } = await import("./answers.api.ts");
      const answers = await Promise.all(
        facetsOf[filter].map(
          async (facet) => [facet, await readFacet(input, { facet, prefix }, signal)] as const,
        ),
      );
      const items = answers.flatMap(([facet, { values }]) =>
        values.flatMap((value) => itemOf(filter, facet, value, t) ?? []),
      );
      return distinct(items);
    },
  };
}

type Value = LogFacetValues["values"][number];

function itemOf(filter: FacetFilter, facet: LogFacet, found: Value, t: T): Item | null {
  const { value, name, calls } = found;
  const count = t("logs.facetCalls", { count: calls, shown: calls.toLocaleString("en-US") });
  const hint = facet === "channel" || facet === "token" ? `#${value} · ${count}` : count;
  if (value === "" || (value === "0" && facet !== "status")) return null;
  switch (filter) {
    case "channel":
      return { value, label: name === "" ? `#${value}` : name, hint };
    case "conversation":
      // Most have no tool that was called over and over.
      return { value, label: name === "" ? `#${value}` : name, hint };
    case "ending":
      return endingItem(facet, value, { hint: count, t });
    case "group":
    case "tag":
      return { value, label: value, hint };
    case "model":
      return { value: `=${value}`, label: value, hint };
    case "token":
      return name === "" ? null : { value: name, label: name, hint };
    case "tokenId":
      return { value, label: `#${value}`, hint: name === "" ? count : `${name} · ${count}` };
    case "user":
      return name === "" ? null : { value: name, label: name, hint };
  }
}

/** The whole answers, the failed ones and those that broke off, then by status and by reason. */
function endingItem(
  facet: LogFacet,
  value: string,
  { hint, t }: { readonly hint: string; readonly t: T },
): Item | null {
  if (facet === "finish") return { value, label: endingText(value, t), hint };
  const isFailed = facet === "reason" ? value.startsWith("failed ") : value !== "200";
  const ending = facet === "reason" ? value : `failed ${value}`;
  return isFailed ? { value: ending, label: endingText(ending, t), hint } : null;
}

function sayValue(filter: FacetFilter, value: string, t: T): string {
  if (filter === "ending") return endingText(value, t);
  if (filter === "model" && value.startsWith("=")) return value.slice(1);
  return value.endsWith("%") ? `${value.slice(0, -1)}…` : value;
}

/** Keys of one name are one value, with the counts of the first: the field shows one line of it. */
function distinct(items: readonly Item[]): readonly Item[] {
  const seen = new Set<string>();
  return items.filter(({ value }) => !seen.has(value) && seen.add(value));
}
