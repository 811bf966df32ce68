import type { DashboardPart } from "@tollgate/contract/endpoints/dashboard.ts";
import type { T } from "#i18n/t.ts";
import type { ShareKind } from "./log-links.ts";

/** Names a part of the dashboard's sums, also one that was deleted since. */
export function partName(
  kind: ShareKind,
  { id, name }: Pick<DashboardPart, "id" | "name">,
  t: T,
): string {
  if (kind === "tokens" && id === 0) return t("dashboard.playground");
  return name === "" ? t("dashboard.deleted", { id }) : name;
}
