import { usageSource } from "@tollgate/contract/endpoints/logs.ts";
import type { T } from "#i18n/t.ts";
import type { Item } from "#ui/controls/item.ts";
import type { Filter } from "#ui/table/column.ts";
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
    { name: "token_name", label: t("logs.token"), kind: "text" },
    { name: "token_id", label: t("logs.tokenId"), kind: "text" },
    { name: "group", label: t("logs.group"), kind: "text" },
    { name: "cost", label: t("logs.leastCost"), kind: "text", placeholder: t("logs.leastCost") },
    { name: "request_id", label: t("logs.requestId"), kind: "text" },
    { name: "usage_source", label: t("logs.source"), kind: "select", items: sourceItems(t) },
    ...(isAdmin
      ? ([
          { name: "username", label: t("logs.user"), kind: "text" },
          { name: "channel", label: t("logs.channelId"), kind: "text" },
        ] as const)
      : []),
  ];
}
