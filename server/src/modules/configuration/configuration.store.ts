/** Writes which things a document owns: those that the last applied one named. */

import { unixSeconds } from "#base/clock.ts";
import { readClock, requireVersion } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";

/** A thing as the document has it. */
type OwnedRow = {
  readonly kind: string;
  readonly name: string;
  /** JSON of its fields. */
  readonly fields: string;
  readonly source: string;
  /** Unix seconds. */
  readonly applied_at: number;
};

async function listOwned(db: Db): Promise<OwnedRow[]> {
  return await db
    .selectFrom("configured_things")
    .selectAll()
    .orderBy("kind")
    .orderBy("name")
    .execute();
}

type Ownership = {
  readonly things: readonly Pick<OwnedRow, "fields" | "kind" | "name">[];
  readonly source: string;
  /** How many things the document has changed. */
  readonly changed: number;
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** How many rows one statement inserts. */
const rowsAtOnce = 500;

/** Notes what the document owns that is applied in this transaction. */
async function replaceOwned(tx: Db, owned: Ownership): Promise<void> {
  const { things, source, changed, actor, nowMs } = owned;
  await tx.deleteFrom("configured_things").execute();
  const applied_at = unixSeconds(nowMs);
  for (let at = 0; at < things.length; at += rowsAtOnce) {
    const rows = things.slice(at, at + rowsAtOnce).map((row) => ({ ...row, source, applied_at }));
    await tx.insertInto("configured_things").values(rows).execute();
  }
  const detail = { things: things.length, changed };
  const target = `file:${source}`;
  await appendAudit(tx, { actor, action: "configuration.apply", target, detail, nowMs });
}

export const configurationStore = defineStore({
  reads: { listOwned, readClock },
  writes: { replaceOwned, requireVersion },
});

export type ConfigurationStore = RemoteStore<typeof configurationStore>;
