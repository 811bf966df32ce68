/**
 * The change log by which every node learns that configuration changed. A write to something in the
 * relay's snapshot records the change in its own transaction.
 */

import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "./database.ts";
import { defineStore } from "./store.ts";
import type { ConfigPart } from "./tables/config.ts";
import { noteWritten } from "./written.ts";

export type { ConfigPart };

export const configParts = [
  "channels",
  "options",
  "prices",
  "tokens",
  "users",
] as const satisfies readonly ConfigPart[];

/**
 * A point in the sequence of changes: the version of a change and its mark, which no other change
 * has. A database that went back gives versions a second time.
 */
export type ChangePoint = { readonly version: number; readonly mark: string };

/** One recorded change of configuration. If `entity_id` is 0, the part as a whole has changed. */
export type ConfigChange = ChangePoint & {
  readonly part: ConfigPart;
  readonly entity_id: number;
};

/** What has changed after a point. */
export type ChangesAfter = {
  /** Whether the database does not know that point: it went back, and lost changes. */
  readonly isBehind: boolean;
  /** Oldest first. */
  readonly changes: readonly ConfigChange[];
};

/**
 * Records that `entityId` of `part` changed. The row of `config_clock` stays locked until the
 * transaction ends, so versions become visible in order, and a node that polls for changes never
 * skips one.
 */
export async function recordChange(tx: Db, part: ConfigPart, entityId: number): Promise<void> {
  const { version } = await tx
    .updateTable("config_clock")
    .set({ version: sql<number>`version + 1` })
    .where("id", "=", 1)
    .returning("version")
    .executeTakeFirstOrThrow();
  const mark = randomUUID();
  await tx
    .insertInto("config_changes")
    .values({ version, part, entity_id: entityId, mark })
    .execute();
  noteWritten(tx, { kind: "change", version, mark, what: `${part}:${entityId}` });
}

/** The largest number of changes that are read at a time; a reader goes on until it gets fewer. */
export const changesMax = 1_000;

/** Returns the changes after the point up to which a snapshot has them. */
async function listChanges(db: Db, { version, mark }: ChangePoint): Promise<ChangesAfter> {
  const rows = await db
    .selectFrom("config_clock as clock")
    .leftJoin("config_changes as change", (join) => join.on("change.version", ">=", version))
    .select([
      "clock.version as newest",
      "change.version",
      "change.part",
      "change.entity_id",
      "change.mark",
    ])
    .where("clock.id", "=", 1)
    .orderBy("change.version")
    .limit(changesMax + 1)
    .execute();
  const changes = rows.flatMap(({ newest: _, ...row }): ConfigChange[] => {
    const { part, entity_id } = row;
    if (row.version === null || part === null || entity_id === null || row.mark === null) return [];
    return [{ version: row.version, part, entity_id, mark: row.mark }];
  });
  // Where the point's own change is missing, every node has applied it, and it was removed.
  const own = changes.find((change) => change.version === version);
  const isBehind = (rows[0]?.newest ?? 0) < version || (own !== undefined && own.mark !== mark);
  return { isBehind, changes: changes.filter((change) => change.version > version) };
}

/**
 * Returns the newest change. A snapshot that is loaded after reading it contains every change up to
 * it.
 */
export async function readClock(db: Db): Promise<ChangePoint> {
  const { version, mark } = await db
    .selectFrom("config_clock as clock")
    .leftJoin("config_changes as change", "change.version", "clock.version")
    .select(["clock.version", "change.mark"])
    .where("clock.id", "=", 1)
    .executeTakeFirstOrThrow();
  return { version, mark: mark ?? "" };
}

/**
 * Makes sure that nothing has changed since a version, and that nothing else does until the
 * transaction ends.
 *
 * @throws Refusal `stale`.
 */
export async function requireVersion(tx: Db, seen: number): Promise<void> {
  const { version } = await tx
    .updateTable("config_clock")
    .set({ version: sql<number>`version` })
    .where("id", "=", 1)
    .returning("version")
    .executeTakeFirstOrThrow();
  if (version !== seen) throw new Refusal("stale", "配置在此期间已被修改，请重试");
}

/** The largest number of changes that one run removes. */
const cleanMax = 10_000;

/**
 * Removes changes that every node has reported to have applied. The newest one stays, because a
 * node that was removed and comes back sees by its version what it missed.
 */
async function cleanChanges(tx: Db): Promise<void> {
  await tx
    .deleteFrom("config_changes")
    .where("version", "in", (query) =>
      query
        .selectFrom("config_changes")
        .select("version")
        .where(sql<boolean>`version <= (select min(config_version) from nodes)`)
        .where("version", "<", ({ selectFrom }) =>
          selectFrom("config_clock").select("version").where("id", "=", 1),
        )
        .orderBy("version")
        .limit(cleanMax),
    )
    .execute();
}

export const changeStore = defineStore({
  reads: { listChanges, readClock },
  writes: { cleanChanges },
});
