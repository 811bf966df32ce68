import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

/** `page` is that of the table of models; `open` says whose prices are edited. */
export const pricesSearch = listSearch.extend({
  /** A part of a model's name. */
  model: z.coerce.string().max(255).default("").catch(""),
});
export type PricesSearch = z.output<typeof pricesSearch>;
