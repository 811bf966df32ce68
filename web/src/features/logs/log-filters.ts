import type { T } from "#i18n/t.ts";
import type { Filter } from "#ui/table/column.ts";
import { typeItems } from "./log-type.ts";

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
    ...(isAdmin
      ? ([
          { name: "username", label: t("logs.user"), kind: "text" },
          { name: "channel", label: t("logs.channelId"), kind: "text" },
        ] as const)
      : []),
  ];
}
