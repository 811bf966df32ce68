/** The part of the address that says which versions are listed and which two are compared. */

import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

const version = z.coerce.number().int().min(0).catch(0);

export const versionsSearch = listSearch.extend({
  /** The versions that are compared; 0: the one in force. Both 0: none are. */
  from: version,
  to: version,
  /** The version to go back to, whose form is open; 0: none is. */
  back: version,
});
export type VersionsSearch = z.output<typeof versionsSearch>;
