import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

export const walletTabs = ["topup", "orders", "earnings", "records"] as const;

/**
 * The wallet's part of the address. `page` and `size` belong to the list of the tab; `order` is the
 * number of the order whose payment is followed, with which processors send the browser back.
 */
export const walletSearch = listSearch.extend({
  tab: z.enum(walletTabs).default("topup").catch("topup"),
  order: z.coerce.string().max(64).default("").catch(""),
});
