/** The part of the address that says which re-rate is open, and which version calls are charged by. */

import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

const number = z.coerce.number().int().min(0).catch(0);

export const reratesSearch = listSearch.extend({
  /** The version whose form is open; 0: none is. */
  version: number,
  /** The re-rate whose result is shown; 0: none is. */
  id: number,
  /** The re-rate whose form to take it back is open; 0: none is. */
  undo: number,
});
export type ReratesSearch = z.output<typeof reratesSearch>;
