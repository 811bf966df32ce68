import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

/** What can be open above the tab. */
export const personalDialogs = ["delete", "mail", "telegram", "transfer", "wechat"] as const;

/** `page` and `size` are those of the balance's history. */
export const personalSearch = listSearch.extend({
  open: z.enum(["", ...personalDialogs]).catch(""),
});
export type PersonalSearch = z.output<typeof personalSearch>;
