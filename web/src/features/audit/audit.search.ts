/** The part of the address that holds the filters of the audit log. */

import { keywordMax } from "@tollgate/contract/fields/fields.ts";
import { z } from "zod";
import { listSearch } from "#ui/table/list-search.ts";

const text = z.coerce.string().trim().max(keywordMax).default("").catch("");

/** A limit of the time range, in Unix seconds; 0: no limit. */
const seconds = z.coerce.number().int().min(0).catch(0);

export const auditSearch = listSearch.extend({
  /** The user who made the change: name or id. */
  actor: text,
  /** An action, or the prefix of several, such as `user.`. */
  action: text,
  target: text,
  start: seconds,
  end: seconds,
});
export type AuditSearch = z.output<typeof auditSearch>;
