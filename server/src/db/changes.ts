/**
 * The change log by which every node learns that configuration changed. A write to something in the
 * relay's snapshot records the change in its own transaction.
 */

import { sql } from "kysely";
import type { Db } from "./database.ts";
import { defineStore } from "./store.ts";

/** Parts of the relay's snapshot, each of which can be reloaded on its own. */
export const configParts = ["channels", "options", "prices", "tokens", "users"] as const;
export type ConfigPart = (typeof configParts)[number];

/** One recorded change of configuration. If `entity_id` is 0, the part as a whole has changed. */
export type ConfigChange = {
  readonly version: number;
  readonly part: ConfigPart;
  readonly entity_id: number;
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
  await tx.insertInto("config_changes").values({ version, part, entity_id: entityId }).execute();
}

/** The largest number of changes that are read at a time; a reader goes on until it gets fewer. */
export const changesMax = 1_000;

/** Returns the changes after `version`, oldest first. */
async function listChanges(db: Db, version: number): Promise<ConfigChange[]> {
  return await db
    .selectFrom("config_changes")
    .select(["version", "part", "entity_id"])
    .where("version", ">", version)
    .orderBy("version")
    .limit(changesMax)
    .execute();
}

/**
 * Returns the newest version. A snapshot that is loaded after reading it contains every change up
 * to it.
 */
async function readClock(db: Db): Promise<number> {
  const { version } = await db
    .selectFrom("config_clock")
    .select("version")
    .where("id", "=", 1)
    .executeTakeFirstOrThrow();
  return version;
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
