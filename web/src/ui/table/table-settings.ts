/** What a browser remembers of one table, under `table:<id>`. Columns and density will join it. */

import { useState } from "react";
import { z } from "zod";

/** Seconds between readings; 0: only when asked. */
export const refreshIntervals = [0, 10, 30, 60] as const;
export type RefreshInterval = (typeof refreshIntervals)[number];

const tableSettings = z.object({
  refreshSeconds: z.literal(refreshIntervals).catch(0),
});
export type TableSettings = z.infer<typeof tableSettings>;

export function readTableSettings(id: string): TableSettings {
  return tableSettings.parse(parseJson(localStorage.getItem(keyOf(id)) ?? "{}"));
}

export function useTableSettings(
  id: string,
): [TableSettings, (patch: Partial<TableSettings>) => void] {
  const [settings, setSettings] = useState(() => readTableSettings(id));
  return [
    settings,
    (patch) => {
      const next = { ...settings, ...patch };
      localStorage.setItem(keyOf(id), JSON.stringify(next));
      setSettings(next);
    },
  ];
}

function keyOf(id: string): string {
  return `table:${id}`;
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}
