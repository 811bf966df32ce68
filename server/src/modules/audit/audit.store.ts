/** What runs beside the database for the audit log: pages of it, and its proof. */

import { type AuditRow, auditCountMax } from "@tollgate/contract/endpoints/audit.ts";
import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
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
  const names = await readNames(
    db,
    rows.map(({ target }) => target),
  );
  const items = rows.map(({ previous, ...row }) => {
    const { hash: _hash, row_kind: _kind, row_id: _id, row_state: _state, ...shown } = row;
    const target_name = names.get(row.target) ?? "";
    return { ...shown, target_name, intact: followsFrom(previous ?? "", row) };
  });
  return { items, page, page_size, total: Number(total) };
}

/** Reads the names of users, channels and tokens by target, such as `token:17`. */
async function readNames(db: Db, targets: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const idsOf = (noun: string): number[] =>
    targets.flatMap((target) => {
      const [, id] = new RegExp(`^${noun}:(\\d{1,15})$`).exec(target) ?? [];
      return id === undefined ? [] : [Number(id)];
    });
  const [users, channels, tokens] = [idsOf("user"), idsOf("channel"), idsOf("token")];
  const found = await Promise.all([
    readNamed(users, "user", () =>
      db.selectFrom("users").select(["id", "username as name"]).where("id", "in", users).execute(),
    ),
    readNamed(channels, "channel", () =>
      db.selectFrom("channels").select(["id", "name"]).where("id", "in", channels).execute(),
    ),
    readNamed(tokens, "token", () =>
      db.selectFrom("tokens").select(["id", "name"]).where("id", "in", tokens).execute(),
    ),
  ]);
  return new Map(found.flat());
}

async function readNamed(
  ids: readonly number[],
  noun: string,
  read: () => Promise<readonly { readonly id: number; readonly name: string }[]>,
): Promise<[target: string, name: string][]> {
  const rows = ids.length === 0 ? [] : await read();
  return rows.map(({ id, name }) => [`${noun}:${id}`, name]);
}

/**
 * The action of the entries that an update has added for rows that were there before: nobody did
 * anything, so lists leave them out.
 */
const beginAction = "row.begin";

function matching(db: Db, { actor, action, target, start, end }: AuditFilter) {
  const shown = db.selectFrom("audit_log").where("action", "<>", beginAction);
  return shown.where((eb) => {
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
