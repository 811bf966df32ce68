/** What runs beside the database for options. */

import type { Db } from "#db/database.ts";
import { defineStore } from "#db/store.ts";
import { tellNotice, tellPromotion } from "#modules/notifications/notifications.ts";
import { savePrices } from "#modules/pricing/pricing.ts";
import { type OptionRow, type OptionSave, writeOption } from "./options.ts";

export const optionStore = defineStore({
  reads: { loadOptions },
  writes: { saveOption, savePrices },
});

/** Loads the stored options, which are those that root has changed. */
async function loadOptions(db: Db): Promise<OptionRow[]> {
  return await db.selectFrom("options").select(["key", "value"]).execute();
}

async function saveOption(tx: Db, save: OptionSave): Promise<void> {
  const before = await writeOption(tx, save);
  if (save.value === before) return;
  if (save.key === "Notice") await tellNotice(tx, save.value, save.nowMs);
  if (save.key === "Promotion") await tellPromotion(tx, save.value, save.nowMs);
}
