/** Re-rates: the interface of this module for other modules. */

import type { Selectable } from "kysely";
import type { RerateTable } from "#db/tables/rerates.ts";

export type RerateRow = Selectable<RerateTable>;

/** Whether a re-rate goes on. */
export function isOpen({ state }: Pick<RerateRow, "state">): boolean {
  return openStates.includes(state);
}

/** The states of a re-rate that goes on. */
export const openStates: readonly RerateRow["state"][] = ["charging", "telling", "stopping"];
