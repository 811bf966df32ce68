import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

export const agentTabs = ["purse", "dividends", "withdrawals"] as const;

/** The part of the address of an agent's own page; `page` and `size` belong to the tab's list. */
export const agentSearch = listSearch.extend({
  tab: z.enum(agentTabs).default("purse").catch("purse"),
});

const text = z.coerce.string().max(100).default("").catch("");

/** The part of the address of root's lists: the beginning of a user's name, and a state. */
export const agentsSearch = listSearch.extend({ keyword: text, state: text });
export type AgentsSearch = z.output<typeof agentsSearch>;
