import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

/** The dialogs that can be open above the account. */
const accountDialogs = ["delete", "mail", "telegram", "transfer", "unmail", "wechat"] as const;

/** `page` and `size` are those of the balance's history. */
export const accountSearch = listSearch.extend({
  open: z.enum(["", ...accountDialogs]).catch(""),
});
export type AccountSearch = z.output<typeof accountSearch>;
