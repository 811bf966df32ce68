import { usageSource } from "@tollgate/contract/endpoints/logs.ts";
import type { T } from "#i18n/t.ts";
import type { Item } from "#ui/controls/item.ts";
import type { Filter } from "#ui/table/column.ts";
import { byChannel, byGroup, byToken, byTokenId, byUser } from "#widgets/people/name-filters.ts";
import { typeItems } from "./log-type.ts";

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

/**
 * Makes the filters in the toolbar of the log. The time range, and root's filter by key, have
 * controls beside the title.
 */
export function logFilters(t: T, isAdmin: boolean): readonly Filter[] {
  return [
    { name: "type", label: t("logs.type"), kind: "select", items: typeItems(t) },
    { name: "token_name", label: t("logs.token"), kind: "suggest", ...byToken },
    { name: "token_id", label: t("logs.tokenId"), kind: "suggest", ...byTokenId },
    { name: "group", label: t("logs.group"), kind: "suggest", ...byGroup(isAdmin) },
    { name: "cost", label: t("logs.leastCost"), kind: "text", placeholder: t("logs.leastCost") },
    { name: "request_id", label: t("logs.requestId"), kind: "text" },
    { name: "usage_source", label: t("logs.source"), kind: "select", items: sourceItems(t) },
    ...(isAdmin
      ? ([
          { name: "username", label: t("logs.user"), kind: "suggest", ...byUser },
          { name: "channel", label: t("logs.channelId"), kind: "suggest", ...byChannel },
        ] as const)
      : []),
  ];
}
