import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

/** The dialogs that the parameter `open` of the address can open on the account screen. */
const accountDialogs = ["delete", "mail", "telegram", "transfer", "unmail", "wechat"] as const;

/**
 * The account screen's part of the address. `page` and `size` belong to the history of the balance.
 */
export const accountSearch = listSearch.extend({
  /** What the history is searched by: a model, a request id, a remark; empty: nothing. */
  keyword: z.coerce.string().max(100).default("").catch(""),
  open: z.enum(["", ...accountDialogs]).catch(""),
});
