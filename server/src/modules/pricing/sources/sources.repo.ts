/** Lists of prices that others publish: their settings, and when they are read. */

import {
  type PriceSourceRow,
  sourceKind,
  sourceRules,
  sourcesMax,
} from "@tollgate/contract/endpoints/price-sources.ts";
import type { Selectable } from "kysely";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import type { PriceSourceTable } from "#db/tables/price-sources.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";

/** What is set of a source. */
type SourceSettings = Pick<PriceSourceRow, "every_hours" | "kind" | "name" | "rules" | "url">;

/** A source as a sync needs it. */
export type ReadSource = SourceSettings & { readonly id: number };

type Change = { readonly actor: Actor; /** Unix milliseconds. */ readonly nowMs: number };

const hourSeconds = 3_600;

/** Lists all sources by name, each with its newest draft. */
export async function listSources(db: Db): Promise<PriceSourceRow[]> {
  const rows = await db.selectFrom("price_sources").selectAll().orderBy("name").execute();
  const drafts = await db
    .selectFrom("price_drafts")
    .select(["id", "source_id", "created_at", "waiting", "accepted", "faults"])
    .where(
      "id",
      "in",
      db
        .selectFrom("price_drafts")
        .select((eb) => eb.fn.max("id").as("id"))
        .groupBy("source_id"),
    )
    .execute();
  const bySource = new Map(drafts.map((draft) => [draft.source_id, draft]));
  return rows.map((row) => {
    const found = bySource.get(row.id);
    const draft =
      found === undefined
        ? null
        : {
            id: found.id,
            created_at: found.created_at,
            waiting: found.waiting,
            applied: found.accepted,
            faults: found.faults,
          };
    const { synced_at, next_at, error } = row;
    return { ...readRow(row), synced_at, next_at, error, draft };
  });
}

/** Reads a source; undefined: there is none. */
export async function findSource(db: Db, id: number): Promise<ReadSource | undefined> {
  const row = await db
    .selectFrom("price_sources")
    .selectAll()
    .where("id", "=", id)
    .executeTakeFirst();
  return row === undefined ? undefined : readRow(row);
}

function readRow(row: Selectable<PriceSourceTable>): ReadSource {
  const { id, name, kind, url, rules, every_hours } = row;
  return {
    id,
    name,
    kind: sourceKind.parse(kind),
    url,
    rules: sourceRules.parse(JSON.parse(rules)),
    every_hours,
  };
}

/** @throws Refusal `limit-reached`. */
export async function createSource(
  tx: Db,
  settings: SourceSettings,
  { actor, nowMs }: Change,
): Promise<number> {
  const { count } = await tx
    .selectFrom("price_sources")
    .select((eb) => eb.fn.countAll<number | string>().as("count"))
    .executeTakeFirstOrThrow();
  if (Number(count) >= sourcesMax) {
    throw new Refusal("limit-reached", `最多 ${sourcesMax} 个价格来源`);
  }
  const now = unixSeconds(nowMs);
  const { id } = await tx
    .insertInto("price_sources")
    .values({ ...columnsOf(settings, now), synced_at: 0, error: "", created_at: now })
    .returning("id")
    .executeTakeFirstOrThrow();
  const target = `price-source:${id}`;
  await appendAudit(tx, { actor, action: "price-source.create", target, detail: settings, nowMs });
  return id;
}

/** @throws Refusal `not-found`. */
export async function updateSource(
  tx: Db,
  { id, ...settings }: ReadSource,
  { actor, nowMs }: Change,
): Promise<void> {
  const changed = await tx
    .updateTable("price_sources")
    .set(columnsOf(settings, unixSeconds(nowMs)))
    .where("id", "=", id)
    .returning("id")
    .executeTakeFirst();
  if (changed === undefined) throw noSource();
  const target = `price-source:${id}`;
  await appendAudit(tx, { actor, action: "price-source.update", target, detail: settings, nowMs });
}

function columnsOf({ name, kind, url, rules, every_hours }: SourceSettings, now: number) {
  // The first scheduled sync is a whole period from now: root has just looked at the list by hand.
  const next_at = every_hours === 0 ? 0 : now + every_hours * hourSeconds;
  return { name, kind, url, rules: JSON.stringify(rules), every_hours, next_at };
}

/** Removes a source and its drafts. @throws Refusal `not-found`. */
export async function removeSource(tx: Db, id: number, { actor, nowMs }: Change): Promise<void> {
  const removed = await tx
    .deleteFrom("price_sources")
    .where("id", "=", id)
    .returning("name")
    .executeTakeFirst();
  if (removed === undefined) throw noSource();
  await tx.deleteFrom("price_drafts").where("source_id", "=", id).execute();
  const target = `price-source:${id}`;
  await appendAudit(tx, { actor, action: "price-source.remove", target, detail: removed, nowMs });
}

export function noSource(): Refusal {
  return new Refusal("not-found", "价格来源不存在，请刷新页面后重试");
}

/**
 * Takes the source whose time has come, so that no other node syncs it at this time; undefined: there
 * is none.
 */
export async function claimDueSource(tx: Db, nowMs: number): Promise<ReadSource | undefined> {
  const now = unixSeconds(nowMs);
  const due = await tx
    .selectFrom("price_sources")
    .select(["id", "next_at", "every_hours"])
    .where("next_at", ">", 0)
    .where("next_at", "<=", now)
    .orderBy("next_at")
    .executeTakeFirst();
  if (due === undefined) return undefined;
  const row = await tx
    .updateTable("price_sources")
    .set({ next_at: now + Math.max(1, due.every_hours) * hourSeconds })
    .where("id", "=", due.id)
    .where("next_at", "=", due.next_at)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? undefined : readRow(row);
}

/** Notes that a source was read, or why it could not be. */
export async function noteSync(
  tx: Db,
  { id, error, nowMs }: { readonly id: number; readonly error: string; readonly nowMs: number },
): Promise<void> {
  await tx
    .updateTable("price_sources")
    .set({ synced_at: unixSeconds(nowMs), error })
    .where("id", "=", id)
    .execute();
}
