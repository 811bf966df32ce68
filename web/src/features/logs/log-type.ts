/** The types of log rows: what they are about, their names and colours. */

import { logType } from "@tollgate/contract/endpoints/logs.ts";
import type { T } from "#i18n/t.ts";
import type { Item } from "#ui/controls/item.ts";
import type { Tone } from "#ui/tone.ts";

const { topup, consumption, management, system, failure, imported } = logType.enum;

/** Whether a row of this type is about a call, charged or failed. */
export function isCall({ type }: { readonly type: number }): boolean {
  return type === consumption || type === failure;
}

/** Whether a row has counts of tokens and a time: that of a call, here or at another gateway. */
export function hasCounts(row: { readonly type: number; readonly model_name: string }): boolean {
  return isCall(row) || (row.type === imported && row.model_name !== "");
}

export function typeName(type: number, t: T): string {
  switch (type) {
    case topup:
      return t("logs.typeTopup");
    case consumption:
      return t("logs.typeConsumption");
    case management:
      return t("logs.typeManagement");
    case system:
      return t("logs.typeSystem");
    case failure:
      return t("logs.typeFailure");
    case imported:
      return t("logs.typeImported");
    default:
      return t("logs.typeUnknown", { type });
  }
}

export function typeTone(type: number): Tone {
  switch (type) {
    case topup:
      return "success";
    case management:
      return "warning";
    case system:
      return "info";
    case failure:
      return "danger";
    default:
      return "neutral";
  }
}

export function typeItems(t: T): readonly Item[] {
  return [
    { value: "", label: t("logs.typeAll") },
    ...[topup, consumption, management, system, failure, imported].map((type) => ({
      value: String(type),
      label: typeName(type, t),
    })),
  ];
}
