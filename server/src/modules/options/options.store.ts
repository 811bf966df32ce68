import type { PriceList } from "@tollgate/contract/charge.ts";
import type { Db } from "#db/database.ts";
import { defineStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { tellNotice, tellPrices, tellPromotion } from "#modules/notifications/notifications.ts";
import { changePrices, differences } from "#modules/pricing/pricing.ts";
import { requireRatios } from "./groups-in-use.ts";
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

type PriceSave = {
  /** Parts of the price list that replace the current ones. */
  readonly parts: Partial<PriceList>;
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

async function savePrices(tx: Db, { parts, actor, nowMs }: PriceSave): Promise<void> {
  const { before, after } = await changePrices(tx, { parts, createdBy: actor.userId, nowMs });
  if (parts.GroupRatio !== undefined) await requireRatios(tx, after.GroupRatio);
  const changed = differences(before, after);
  if (Object.keys(changed).length > 0) await tellPrices(tx, nowMs);
  await appendAudit(tx, {
    actor,
    action: "price.update",
    target: `option:${Object.keys(parts).join(",")}`,
    detail: changed,
    nowMs,
  });
}
