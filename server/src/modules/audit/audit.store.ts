import { type AuditRow, auditCountMax } from "@tollgate/contract/audit.ts";
import type { PageWindow } from "@tollgate/contract/page.ts";
import type { Db } from "#db/database.ts";
import { defineStore } from "#db/store.ts";
import { startsWith } from "#db/text-search.ts";
import { followsFrom, verifyAudit } from "./audit.ts";

export const auditStore = defineStore({ reads: { pageAudit, verifyAudit }, writes: {} });

/** Filters of the audit log's list. An empty value or 0 does not filter. */
type AuditFilter = {
  /** Full username or user id of the actor. */
  readonly actor: string;
  /** Prefix of the action. */
  readonly action: string;
  readonly target: string;
  /** Unix seconds, inclusive; so is `end`. */
  readonly start: number;
  readonly end: number;
};

type AuditPage = {
  readonly items: AuditRow[];
  readonly page: number;
  readonly page_size: number;
  readonly total: number;
};

/**
 * Reads one page of the audit log, newest entries first. Matches beyond the newest `auditCountMax`
 * are neither counted nor listed.
 */
async function pageAudit(
  db: Db,
  filter: AuditFilter,
  { page, page_size }: PageWindow,
): Promise<AuditPage> {
  const offset = (page - 1) * page_size;
  const rows = await matching(db, filter)
    .selectAll("audit_log")
    .select((eb) =>
      eb
        .selectFrom("audit_log as earlier")
        .select("earlier.hash")
        .whereRef("earlier.id", "<", "audit_log.id")
        .orderBy("earlier.id", "desc")
        .limit(1)
        .as("previous"),
    )
    .orderBy("audit_log.id", "desc")
    .limit(offset >= auditCountMax ? 0 : page_size)
    .offset(offset)
    .execute();
  const { total } = await db
    .selectFrom(matching(db, filter).select("audit_log.id").limit(auditCountMax).as("found"))
    .select((eb) => eb.fn.countAll<number | string>().as("total"))
    .executeTakeFirstOrThrow();
  const items = rows.map(({ hash, previous, ...row }) => {
    return { ...row, intact: followsFrom(previous ?? "", { ...row, hash }) };
  });
  return { items, page, page_size, total: Number(total) };
}

function matching(db: Db, { actor, action, target, start, end }: AuditFilter) {
  return db.selectFrom("audit_log").where((eb) => {
    const where = [];
    if (actor !== "") {
      const named = eb("actor_name", "=", actor);
      // A number of sixteen or more digits is never a user id, and could be rounded to another
      // user's id.
      where.push(/^\d{1,15}$/.test(actor) ? named.or("actor_id", "=", Number(actor)) : named);
    }
    if (action !== "") where.push(startsWith("action", action));
    if (target !== "") where.push(eb("target", "=", target));
    if (start > 0) where.push(eb("created_at", ">=", start));
    if (end > 0) where.push(eb("created_at", "<=", end));
    return eb.and(where);
  });
}
