/**
 * The audit log, which only root can read: who did what to whom. No endpoint writes to it directly.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { queryText, queryWhole } from "@tollgate/contract/fields/fields.ts";
import { page, pageInput } from "./page.ts";

/**
 * The largest number of rows that a search counts and pages through; older rows are found by
 * limiting the time.
 */
export const auditCountMax = 10_000;

export const auditRow = z.object({
  id: z.number().int(),
  /** Unix seconds. */
  created_at: z.number().int(),
  /** Id of the user who acted; 0: the gateway itself, or an unknown caller. */
  actor_id: z.number().int(),
  actor_name: z.string(),
  client_ip: z.string(),
  /** What was done, as noun and verb, e.g. `token.reveal`. */
  action: z.string(),
  /** What it was done to, as noun and id, e.g. `token:17`. */
  target: z.string(),
  /** The target's present name; empty: it has none, or it is gone. */
  target_name: z.string(),
  /** JSON text, mostly the values before and after; secrets appear as fingerprints. Empty: none. */
  detail: z.string(),
  /** Whether the row's hash matches the previous row's hash and its own fields. */
  intact: z.boolean(),
});
export type AuditRow = z.infer<typeof auditRow>;

/** Lists the audit log, newest row first. */
export const listAudit = endpoint({
  method: "GET",
  path: "/api/audit/",
  access: "root",
  input: z.object({
    ...pageInput,
    /** The actor whose entries are listed: the whole name or the id. */
    actor: queryText,
    /** The whole action, or its beginning, e.g. `token.`. */
    action: queryText,
    /** The whole target, e.g. `token:17`. */
    target: queryText,
    /** Unix seconds. Both `start_timestamp` and `end_timestamp` are inclusive. */
    start_timestamp: queryWhole,
    end_timestamp: queryWhole,
  }),
  output: page(auditRow),
});

/** Verifies the hash chain of the whole audit log, which takes seconds for a million rows. */
export const checkAudit = endpoint({
  method: "GET",
  path: "/api/audit/check",
  access: "root",
  input: z.object({}),
  output: z.object({
    intact: z.boolean(),
    /** Number of rows, counted from the first one, whose hashes match. */
    count: z.number().int(),
    /**
     * The first row whose hash does not match; null if all match, or if rows are missing at the
     * end.
     */
    broken_id: z.number().int().nullable(),
  }),
});
