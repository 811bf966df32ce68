/** What the page “Connect” keeps in its address: the program, the key and the model. */

import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

export const connectSearch = listSearch.extend({
  /** The id of the chosen program; empty: the first. */
  client: z.string().catch(""),
  /** The id of the chosen key; 0: the newest that works. */
  token: z.coerce.number().int().min(0).catch(0),
  /** Empty: one that suits the program. */
  model: z.string().catch(""),
});
export type ConnectSearch = z.output<typeof connectSearch>;
