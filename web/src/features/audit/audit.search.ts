/** The audit log's filters in the address. */

import { keywordMax } from "@tollgate/contract/fields.ts";
import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

const text = z.coerce.string().trim().max(keywordMax).default("").catch("");

/** Unix seconds; 0: open. */
const seconds = z.coerce.number().int().min(0).catch(0);

export const auditSearch = listSearch.extend({
  /** Name or id of the actor. */
  actor: text,
  /** An action or its prefix. */
  action: text,
  target: text,
  start: seconds,
  end: seconds,
});
export type AuditSearch = z.output<typeof auditSearch>;
