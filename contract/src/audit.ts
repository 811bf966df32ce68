/** Who did what to whom: the audit log, for root. Nothing writes it through the API. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { queryText, queryWhole } from "./fields.ts";
import { page, pageInput } from "./page.ts";

/** Rows a list counts and reaches; older ones are found by narrowing the time. */
export const auditCountMax = 10_000;

export const auditRow = z.object({
  id: z.number().int(),
  /** Unix seconds. */
  created_at: z.number().int(),
  /** 0: the gateway itself, or nobody who is known. */
  actor_id: z.number().int(),
  actor_name: z.string(),
  client_ip: z.string(),
  /** Noun and verb, e.g. `token.reveal`. */
  action: z.string(),
  /** Noun and id, e.g. `token:17`. */
  target: z.string(),
  /** JSON text, mostly of what was before and after; secrets by a fingerprint. Empty: none. */
  detail: z.string(),
  /** The row's hash follows from the row before it and from its own text. */
  intact: z.boolean(),
});
export type AuditRow = z.infer<typeof auditRow>;

/** Newest first. */
export const listAudit = endpoint({
  method: "GET",
  path: "/api/audit/",
  access: "root",
  input: z.object({
    ...pageInput,
    /** Name or id of who did it, whole. */
    actor: queryText,
    /** Whole, or its beginning, e.g. `token.`. */
    action: queryText,
    /** Whole. */
    target: queryText,
    /** Unix seconds, inclusive, as is the end. */
    start_timestamp: queryWhole,
    end_timestamp: queryWhole,
  }),
  output: page(auditRow),
});

/** Recomputes the whole chain, which takes seconds for a million rows. */
export const checkAudit = endpoint({
  method: "GET",
  path: "/api/audit/check",
  access: "root",
  input: z.object({}),
  output: z.object({
    intact: z.boolean(),
    /** Rows that follow from one another, from the first on. */
    count: z.number().int(),
    /** The first row that does not; null: there is none, or rows are missing at the end. */
    broken_id: z.number().int().nullable(),
  }),
});
