import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

/** The dialogs that the parameter `open` of the address can open on the account screen. */
const accountDialogs = ["delete", "mail", "telegram", "transfer", "unmail", "wechat"] as const;

/**
 * The account screen's part of the address. `page` and `size` belong to the history of the balance.
 */
export const accountSearch = listSearch.extend({
  open: z.enum(["", ...accountDialogs]).catch(""),
});
