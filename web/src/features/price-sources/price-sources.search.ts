/** The part of the address that says which sheet of the price sources is open. */

import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

export const sourcesSearch = listSearch.extend({
  /** The id of the draft that is reviewed, and of the source whose list is pasted; 0: none. */
  draft: z.coerce.number().int().min(0).catch(0),
  paste: z.coerce.number().int().min(0).catch(0),
});
export type SourcesSearch = z.output<typeof sourcesSearch>;
