/** What runs beside the database for lists of models. */

import type { Db } from "#db/database.ts";
import { defineStore } from "#db/store.ts";
import { splitList } from "#modules/channels/channels.ts";

export const modelStore = defineStore({ reads: { listModelNames }, writes: {} });

const enabled = 1;

/** Lists the names of the models of all channels, or of the enabled ones only. */
async function listModelNames(db: Db, onlyEnabled: boolean): Promise<string[]> {
  const all = db.selectFrom("channels").select("models");
  const rows = await (onlyEnabled ? all.where("status", "=", enabled) : all).execute();
  return [...new Set(rows.flatMap(({ models }) => splitList(models)))];
}
