import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

export const settingsTabs = ["personal", "operation", "system", "other"] as const;
export type SettingsTab = (typeof settingsTabs)[number];

/** `page` is that of the table of models; `open` says whose prices are edited. */
export const settingsSearch = listSearch.extend({
  tab: z.enum(settingsTabs).catch("personal"),
  keyword: z.coerce.string().max(100).default("").catch(""),
  /** A part of a model's name. */
  model: z.coerce.string().max(255).default("").catch(""),
});
export type SettingsSearch = z.output<typeof settingsSearch>;
