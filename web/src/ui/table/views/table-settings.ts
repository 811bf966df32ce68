/** The settings of one table in this browser, under `table:<id>`. */

import { z } from "zod";
import { openStored } from "./stored.ts";

/** Seconds between reads; 0: only on demand. */
export const refreshIntervals = [0, 10, 30, 60] as const;
export type RefreshInterval = (typeof refreshIntervals)[number];

export const densities = ["comfortable", "compact"] as const;
export type Density = (typeof densities)[number];

/** More columns than any table has. */
const columnsMax = 100;

/** The order and visibility of columns; null: the screen's own. */
export const columnChoice = z
  .array(z.object({ id: z.string().max(100), shown: z.boolean() }))
  .max(columnsMax)
  .readonly()
  .nullable()
  .catch(null);
export type ColumnChoice = z.output<typeof columnChoice>;

const settingsShape = z.object({
  refreshSeconds: z.literal(refreshIntervals).catch(0),
  density: z.enum(densities).catch("comfortable"),
  columns: columnChoice,
});
export type TableSettings = z.output<typeof settingsShape>;

const settingsOf = openStored<TableSettings>(
  "table",
  z
    .record(z.string(), z.unknown())
    .catch({})
    .transform((kept) => settingsShape.parse(kept)),
);

export function useTableSettings(id: string): TableSettings {
  return settingsOf.use(id);
}

export function changeTableSettings(id: string, patch: Partial<TableSettings>): void {
  settingsOf.write(id, { ...settingsOf.read(id), ...patch });
}
