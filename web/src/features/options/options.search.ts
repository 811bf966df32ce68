/** What the address of the settings page holds. */

import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

const settingsTabs = ["personal", "operation", "system", "other"] as const;
export type SettingsTab = (typeof settingsTabs)[number];

export const optionsSearch = listSearch.extend({
  tab: z.enum(settingsTabs).catch("personal"),
  keyword: z.coerce.string().max(100).default("").catch(""),
});
