/** The part of the address that holds the filters of the running calls. */

import { keywordMax } from "@tollgate/contract/fields/fields.ts";
import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

const text = z.coerce.string().trim().max(keywordMax).default("").catch("");

export const liveSearch = listSearch.extend({
  model_name: text,
  username: text,
  token_name: text,
  channel: z.coerce
    .string()
    .regex(/^\d{0,15}$/)
    .default("")
    .catch(""),
  /** Only calls that have run for so many seconds; 0: all. */
  min_seconds: z.coerce.number().int().min(0).catch(0),
});
export type LiveSearch = z.output<typeof liveSearch>;
