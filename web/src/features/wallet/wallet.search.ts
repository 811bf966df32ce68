import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

export const walletTabs = ["topup", "records"] as const;

/** The wallet's part of the address. `page` and `size` belong to the list of the tab. */
export const walletSearch = listSearch.extend({
  tab: z.enum(walletTabs).default("topup").catch("topup"),
});
