import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

export const walletTabs = ["topup", "orders", "earnings", "records"] as const;

/**
 * The wallet's part of the address. `page` and `size` belong to the list of the tab; `order` is the
 * number of the order whose payment is followed, with which processors send the browser back.
 */
export const walletSearch = listSearch.extend({
  tab: z.enum(walletTabs).default("topup").catch("topup"),
  /** What the statement is searched by: a model, a request id, a remark; empty: nothing. */
  keyword: z.coerce.string().max(100).default("").catch(""),
  order: z.coerce.string().max(64).default("").catch(""),
});
