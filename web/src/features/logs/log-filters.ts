import { usageSource } from "@tollgate/contract/endpoints/logs.ts";
import type { T } from "#i18n/t.ts";
import type { Item } from "#ui/controls/item.ts";
import type { Filter, Suggestions } from "#ui/table/column.ts";
import {
  byChannel,
  byGroup,
  byToken,
  byTokenId,
  byUser,
  idAlone,
} from "#widgets/people/name-filters.ts";
import { type FacetFilter, facetSuggestions } from "./answers/facet-filters.ts";
import { typeItems } from "./log-type.ts";
import type { LogInput } from "./logs.api.ts";

const { local, suspect, upstream, "upstream+seen": seen } = usageSource.enum;

function sourceItems(t: T): readonly Item[] {
  return [
    { value: "", label: t("logs.sourceAll") },
    { value: upstream, label: t("logs.sourceUpstream") },
    { value: seen, label: t("logs.sourceSeen") },
    { value: local, label: t("logs.sourceLocal") },
    { value: suspect, label: t("logs.sourceSuspect") },
  ];
}

type FilterDeps = {
  readonly t: T;
  /** Whether the viewer is an admin, who filters by user and channel as well. */
  readonly isAdmin: boolean;
  /** What the list shows now: the values of a filter are counted among what the others match. */
  readonly input: LogInput;
  /** Filters that are rarely set by hand, and have a field only while they are. */
  readonly isSet: { readonly tokenId: boolean };
};

/**
 * Makes the filters in the toolbar of the log. The time range, and root's filter by key, have
 * controls beside the title.
 */
export function logFilters({ t, isAdmin, input, isSet }: FilterDeps): readonly Filter[] {
  const facet = (filter: FacetFilter, { read }: Pick<Suggestions, "read">) =>
    ({ kind: "suggest", ...facetSuggestions(filter, { input, read, t }) }) as const;
  const asTyped = { read: (text: string) => text };
  return [
    { name: "type", label: t("logs.type"), kind: "select", items: typeItems(t) },
    { name: "model_name", label: t("logs.model"), ...facet("model", asTyped) },
    { name: "token_name", label: t("logs.token"), ...facet("token", byToken) },
    ...(isSet.tokenId
      ? [{ name: "token_id", label: t("logs.tokenId"), ...facet("tokenId", byTokenId) }]
      : []),
    ...(isAdmin
      ? [
          { name: "username", label: t("logs.user"), ...facet("user", byUser) },
          { name: "channel", label: t("logs.channel"), ...facet("channel", byChannel) },
        ]
      : []),
    { name: "group", label: t("logs.group"), ...facet("group", byGroup(isAdmin)) },
    { name: "ending", label: t("logs.ending"), ...facet("ending", asTyped) },
    { name: "tag", label: t("logs.tag"), ...facet("tag", asTyped) },
    { name: "cost", label: t("logs.leastCost"), kind: "text", placeholder: t("logs.leastCost") },
    {
      name: "conversation_id",
      label: t("logs.conversationId"),
      ...facet("conversation", { read: idAlone }),
    },
    { name: "request_id", label: t("logs.requestId"), kind: "text" },
    { name: "usage_source", label: t("logs.source"), kind: "select", items: sourceItems(t) },
  ];
}
