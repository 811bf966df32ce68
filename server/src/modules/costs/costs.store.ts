import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
import { Refusal } from "#base/refusal.ts";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { type Paged, readPaged } from "#db/paging.ts";
import { defineStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { makeCosts, type SaidCosts } from "./cost-list.ts";
import type { CostedChannel } from "./listed-costs.ts";
import { findCallCost, listChannelLosses, pageLosses, pageMargins } from "./margins.repo.ts";
import { addCosts, type CostVersionRow, findCosts } from "./costs.ts";

export const costStore = defineStore({
  reads: {
    findCallCost,
    listChannelLosses,
    pageLosses,
    pageMargins,
    listCosted,
    pageVersions,
    readCosts,
  },
  writes: { saveCosts },
});

/** A version with the name of the user who made it; empty: nobody, or a user who is gone. */
export type NamedVersion = CostVersionRow & { readonly username: string };

/** A channel and the newest version of its costs; null: it has none. */
type Found = {
  readonly channel: CostedChannel & { readonly id: number };
  readonly version: NamedVersion | null;
};

/** Returns a channel with its costs; null: there is no such channel. */
async function readCosts(db: Db, channelId: number): Promise<Found | null> {
  const channel = await channelsOf(db).where("id", "=", channelId).executeTakeFirst();
  if (channel === undefined) return null;
  const version = (await findCosts(db, [channelId])).get(channelId);
  const [named = null] = await withNames(db, version === undefined ? [] : [version]);
  return { channel, version: named };
}

function channelsOf(db: Db) {
  return db.selectFrom("channels").select(["id", "type", "base_url", "models", "model_mapping"]);
}

/** Lists the channels that have a cost list, with its newest version. */
async function listCosted(db: Db): Promise<(Found & { readonly version: CostVersionRow })[]> {
  const versions = await findCosts(db, null);
  const channels = await channelsOf(db).execute();
  return channels.flatMap((channel) => {
    const version = versions.get(channel.id);
    return version === undefined ? [] : [{ channel, version: { ...version, username: "" } }];
  });
}

async function withNames(db: Db, versions: readonly CostVersionRow[]): Promise<NamedVersion[]> {
  const ids = [...new Set(versions.map(({ created_by }) => created_by))];
  if (ids.length === 0) return [];
  const users = await db
    .selectFrom("users")
    .select(["id", "username"])
    .where("id", "in", ids)
    .execute();
  const names = new Map(users.map(({ id, username }) => [id, username]));
  return versions.map((row) => ({ ...row, username: names.get(row.created_by) ?? "" }));
}

async function pageVersions(
  db: Db,
  channelId: number,
  window: PageWindow,
): Promise<Paged<NamedVersion>> {
  const ofChannel = db.selectFrom("cost_versions").where("channel_id", "=", channelId);
  const { items, total } = await readPaged(ofChannel.selectAll().orderBy("id", "desc"), window);
  return { items: await withNames(db, items), total };
}

type Save = {
  readonly channelId: number;
  readonly said: SaidCosts;
  /** The quota units of a US dollar. */
  readonly quotaPerUnit: string;
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** Saves what is said of a channel's costs as a new version, unless it says nothing new. */
async function saveCosts(tx: Db, save: Save): Promise<void> {
  const { channelId, said, quotaPerUnit, actor, nowMs } = save;
  // Recorded first: this locks the configuration's version, so that saves run one after the other.
  await recordChange(tx, "channels", channelId);
  const channel = await tx
    .selectFrom("channels")
    .select("id")
    .where("id", "=", channelId)
    .executeTakeFirst();
  if (channel === undefined) throw new Refusal("not-found", "渠道未找到，请刷新页面后重试。");
  const made = makeCosts(said, quotaPerUnit);
  if (!made.ok) throw new Refusal("invalid-input", made.message, { field: "models" });
  const createdBy = actor.userId;
  const isNew = await addCosts(tx, { channelId, content: made.value, createdBy, nowMs });
  if (!isNew) return;
  await appendAudit(tx, {
    actor,
    action: "channel.costs",
    target: `channel:${channelId}`,
    detail: { factor: said.factor, models: Object.keys(said.typed).length },
    nowMs,
  });
}
