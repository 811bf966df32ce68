import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

const text = z.coerce.string().max(100).default("").catch("");

/** The part of the address that holds the state of the list of orders. */
export const orderSearch = listSearch.extend({
  /** The number of an order, or the processor's own id of its payment. */
  keyword: text,
  /** The beginning of the user's name. */
  username: text,
  state: text,
});
export type OrderSearch = z.output<typeof orderSearch>;
