import { channelMissing } from "@tollgate/contract/endpoints/channels.ts";
import { channelSetting } from "@tollgate/contract/fields/channel-fields.ts";
import type { Insertable } from "kysely";
import { Refusal } from "#base/refusal.ts";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { defineStore } from "#db/store.ts";
import type { ChannelTable } from "#db/tables/channels.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { addCosts, findCosts, parseCosts } from "#modules/costs/costs.ts";
import * as repo from "./channels.repo.ts";
import { type LoadedChannel, switchAutomatically } from "./channels.ts";
import { claimDue, claimRound, findRound, noteRound, stopRound } from "./rounds.repo.ts";

/**
 * The largest number of channels of one installation. It is limited because every node keeps all
 * channels in memory.
 */
const channelsMax = 10_000;

export const channelStore = defineStore({
  reads: {
    findChannel: repo.findChannel,
    findChannelByName: repo.findChannelByName,
    findKeyHolders: repo.findKeyHolders,
    findRound,
    listIds: repo.listIds,
    listTestedBefore: repo.listTestedBefore,
    loadChannels,
    pageChannels: repo.pageChannels,
  },
  writes: {
    claimDue,
    claimRound,
    claimTest: repo.claimTest,
    createChannels,
    markAllChanged,
    noteRound,
    removeChannels,
    removeDisabledChannels,
    saveBalance,
    saveTest,
    stopRound,
    switchAutomatically,
    updateChannel,
    updateSeveral,
    updateTag,
  },
});

/**
 * Reads the rows and sealed keys of the channels in `ids`, or of all channels when `ids` is null.
 */
async function loadChannels(db: Db, ids: readonly number[] | null): Promise<LoadedChannel[]> {
  const keys = Map.groupBy(await repo.listKeys(db, ids), (key) => key.channel_id);
  const rows = await repo.listRows(db, ids);
  const costs = await findCosts(db, ids);
  return rows.map((row) => ({
    row,
    keys: keys.get(row.id) ?? [],
    costs: costs.get(row.id) ?? null,
  }));
}

/** Who makes a change, and when. */
export type Act = {
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

type NewChannel = {
  readonly row: Insertable<ChannelTable>;
  readonly keys: readonly repo.SealedKey[];
  /** The channel whose cost list it gets, because it is a copy of it; absent: it gets none. */
  readonly costsOf?: number;
};

/** Creates all of the given channels, or none if that fails. @returns their ids, in order. */
async function createChannels(
  tx: Db,
  { channels, actor, nowMs }: Act & { readonly channels: readonly NewChannel[] },
): Promise<number[]> {
  await recordChange(tx, "channels", 0);
  if ((await repo.countChannels(tx)) + channels.length > channelsMax) {
    throw new Refusal("limit-reached", `渠道最多 ${channelsMax} 个`);
  }
  const ids: number[] = [];
  for (const { row, keys, costsOf = 0 } of channels) {
    const id = await repo.insertChannel(tx, row);
    await repo.replaceKeys(tx, id, keys, row.created_time);
    const costs = costsOf === 0 ? undefined : (await findCosts(tx, [costsOf])).get(costsOf);
    const content = costs && parseCosts(costs);
    if (content) await addCosts(tx, { channelId: id, content, createdBy: actor.userId, nowMs });
    ids.push(id);
  }
  for (const [index, id] of ids.entries()) {
    const { row, keys } = channels[index] ?? {};
    const after = { type: row?.type, name: row?.name, base_url: row?.base_url, keys: short(keys) };
    const target = `channel:${id}`;
    await appendAudit(tx, { actor, action: "channel.create", target, detail: { after }, nowMs });
  }
  return ids;
}

/** How many hex digits of a key's fingerprint the audit log shows, to tell keys apart. */
const fingerprintLength = 16;

function short(keys: readonly repo.SealedKey[] = []): string[] {
  return keys.map(({ fingerprint }) => fingerprint.slice(0, fingerprintLength));
}

type ChannelUpdate = Act & {
  readonly id: number;
  readonly set: repo.ChannelSet;
  /** The keys that replace the stored ones; null keeps the stored ones. */
  readonly keys: readonly repo.SealedKey[] | null;
  /**
   * The type and base URL for which the keys were checked. If the stored channel has other ones by
   * now, the edit is refused, because the keys would go to another server.
   */
  readonly seen: { readonly type: number; readonly base_url: string };
};

/** Saves an edit of a channel. @returns the channel after the edit. */
async function updateChannel(tx: Db, update: ChannelUpdate): Promise<repo.ListedChannel> {
  const { id, set, keys, seen, actor, nowMs } = update;
  await recordChange(tx, "channels", id);
  const before = await repo.findChannel(tx, id);
  if (before === undefined) throw new Refusal("not-found", channelMissing);
  if (before.type !== seen.type || before.base_url !== seen.base_url) {
    throw new Refusal("stale", "渠道已被修改，请刷新页面后重试。");
  }
  await repo.updateChannels(tx, [id], set);
  if (keys !== null) await repo.replaceKeys(tx, id, keys, Math.floor(nowMs / 1_000));
  const after = await repo.findChannel(tx, id);
  if (after === undefined) throw new Refusal("not-found", channelMissing);
  await appendAudit(tx, {
    actor,
    action: "channel.update",
    target: `channel:${id}`,
    detail: { ...differences(before, after), ...(keys === null ? {} : { keys: short(keys) }) },
    nowMs,
  });
  return after;
}

/**
 * Returns the columns that an edit has changed, with their values before and after, for the audit
 * log.
 */
function differences(before: repo.ListedChannel, after: repo.ListedChannel) {
  const old = new Map(Object.entries(before));
  const changed = Object.entries(after).filter(
    ([name, value]) => name !== "key_hints" && old.get(name) !== value,
  );
  return {
    before: Object.fromEntries(changed.map(([name]) => [name, audited(name, old.get(name))])),
    after: Object.fromEntries(changed.map(([name, value]) => [name, audited(name, value)])),
  };
}

/** Returns a column's value for the audit log, without the password of a proxy. */
function audited(name: string, value: unknown): unknown {
  if (name !== "setting" || typeof value !== "string" || value === "") return value;
  const setting = channelSetting.parse(JSON.parse(value));
  if (!setting.proxy) return value;
  const proxy = new URL(setting.proxy);
  if (proxy.password !== "") proxy.password = "****";
  return JSON.stringify({ ...setting, proxy: proxy.href });
}

/** Removes channels with their keys. @returns the number of removed channels. */
async function removeChannels(
  tx: Db,
  { ids, actor, nowMs }: Act & { readonly ids: readonly number[] },
): Promise<number> {
  // PostgreSQL refuses an empty list in SQL.
  if (ids.length === 0) return 0;
  await recordChange(tx, "channels", ids.length === 1 ? (ids[0] ?? 0) : 0);
  const rows = await repo.listRows(tx, ids);
  const removed = await repo.removeChannels(tx, ids);
  if (removed === 0) return 0;
  const before = rows.map(({ id, name }) => ({ id, name }));
  const target = `channel:${ids.length === 1 ? ids[0] : "several"}`;
  await appendAudit(tx, { actor, action: "channel.remove", target, detail: { before }, nowMs });
  return removed;
}

/** Removes the channels that are disabled, whether by hand or automatically. */
async function removeDisabledChannels(tx: Db, act: Act): Promise<number> {
  const ids = await repo.listIds(tx, { statuses: [2, 3] });
  return await removeChannels(tx, { ...act, ids });
}

/** Makes every node read all channels anew. */
async function markAllChanged(tx: Db): Promise<void> {
  await recordChange(tx, "channels", 0);
}

type SeveralChange = Act & {
  readonly ids: readonly number[];
  readonly action: "channel.tag" | "channel.switch";
  readonly set: repo.ChannelSet;
};

/** Makes the same change to several channels. @returns the number of changed channels. */
async function updateSeveral(tx: Db, change: SeveralChange): Promise<number> {
  const { ids, action, set, actor, nowMs } = change;
  await recordChange(tx, "channels", 0);
  const changed = await repo.updateChannels(tx, ids, set);
  const detail = { ids, after: set };
  await appendAudit(tx, { actor, action, target: "channel:several", detail, nowMs });
  return changed;
}

/** Makes the same change to every channel of a tag. @returns the number of changed channels. */
async function updateTag(
  tx: Db,
  change: Act & { readonly tag: string; readonly set: repo.ChannelSet },
): Promise<number> {
  const { tag, set, actor, nowMs } = change;
  await recordChange(tx, "channels", 0);
  const ids = await repo.listIds(tx, { tag });
  if (ids.length === 0) {
    throw new Refusal("not-found", "没有带此标签的渠道，请刷新页面后重试。", { field: "tag" });
  }
  const changed = await repo.updateChannels(tx, ids, set);
  await appendAudit(tx, {
    actor,
    action: "channel.update-tag",
    target: `tag:${tag}`,
    detail: { ids, after: set },
    nowMs,
  });
  return changed;
}

async function saveBalance(
  tx: Db,
  { id, ...set }: { id: number; balance: number; balance_updated_time: number },
): Promise<void> {
  await repo.updateChannels(tx, [id], set);
}

/**
 * Stores when a channel was tested, and how long the test took or why it failed. Records no configuration change,
 * because the relay does not use these columns.
 */
async function saveTest(
  tx: Db,
  { id, ...set }: { id: number; response_time?: number; test_error: string; test_time: number },
): Promise<void> {
  await repo.updateChannels(tx, [id], set);
}
