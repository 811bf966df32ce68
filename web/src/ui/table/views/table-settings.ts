/** The settings that the user made for one table, stored in this browser under `table:<id>`. */

import { z } from "zod";
import { openStored } from "./stored.ts";

/** The choices of seconds between automatic reads; 0: none, only the button reads again. */
export const refreshIntervals = [0, 10, 30, 60] as const;
export type RefreshInterval = (typeof refreshIntervals)[number];

export const densities = ["comfortable", "compact"] as const;
export type Density = (typeof densities)[number];

/** Limits the stored list of columns; no table has so many. */
const columnsMax = 100;

/** The order and visibility of columns that the user chose; null: the screen's default. */
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
