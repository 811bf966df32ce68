/** Creating and editing channels: the part that needs the secret key, before the store writes. */

import type * as contract from "@tollgate/contract/channels.ts";
import type { z } from "zod";
import type { AddressPolicy } from "#base/address-policy.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import type { RemoteStore } from "#db/store.ts";
import { findProvider } from "#providers/registry.ts";
import { checkChannel, editedSet, newRow, type SentChannel, sentKeys } from "./channel-edits.ts";
import type { ChannelRow, ListedChannel, SealedKey } from "./channels.repo.ts";
import type { Act, channelStore } from "./channels.store.ts";
import {
  channelView,
  keyContext,
  keyTarget,
  type OpenChannel,
  openKeys,
  sealKey,
} from "./channels.ts";

type SaveDeps = {
  readonly store: RemoteStore<typeof channelStore>;
  readonly secrets: Secrets;
  readonly policy: AddressPolicy;
};

type Place = Pick<ChannelRow, "type" | "base_url">;

/**
 * Creates a channel, or one for each key of several lines.
 *
 * @returns their ids.
 */
export async function createChannels(
  { store, secrets, policy }: SaveDeps,
  sent: z.output<(typeof contract.createChannel)["input"]>,
  act: Act,
): Promise<number[]> {
  const row = newRow(sent, unixSeconds(act.nowMs));
  checkChannel(row, policy);
  const source = await findSource(store, sent);
  const context = keyContext(row);
  const seal = (key: string): SealedKey => sealKey(secrets, context, key);
  if (source !== undefined) {
    const keys = (await keysFor(store, secrets, source, row)).map(seal);
    return await store.createChannels({ channels: [{ row, keys }], ...act });
  }
  const keys = sentKeys(sent).map(seal);
  if (keys.length === 0) {
    throw new Refusal("invalid-input", "请填写渠道名称和渠道密钥！", { field: "key" });
  }
  const isOne = (sent.keys?.length ?? 0) > 0;
  const channels = isOne ? [{ row, keys }] : keys.map((key) => ({ row, keys: [key] }));
  return await store.createChannels({ channels, ...act });
}

const copyEnding = "_复制";

/**
 * The channel a copy is of; undefined: it is no copy. Older consoles post the whole row of a list,
 * with `created_time` null, the name plus an ending, and in `key` nothing or the source's id.
 */
async function findSource(
  store: SaveDeps["store"],
  sent: z.output<(typeof contract.createChannel)["input"]>,
): Promise<ListedChannel | undefined> {
  const { copy_from: copyFrom = 0, created_time, name = "", key = "" } = sent;
  if ((sent.keys?.length ?? 0) > 0) return undefined;
  if (copyFrom > 0) {
    if (key !== "") return undefined;
    return copyable(await store.findChannel(copyFrom));
  }
  if (created_time !== null || !name.endsWith(copyEnding)) return undefined;
  const original = name.slice(0, -copyEnding.length);
  if (key === "") return copyable(await store.findChannelByName(original));
  const named = /^\d{1,15}$/.test(key) ? await store.findChannel(Number(key)) : undefined;
  return named?.name === original ? named : undefined;
}

function copyable(source: ListedChannel | undefined): ListedChannel {
  if (source === undefined) throw new Refusal("not-found", "渠道复制失败：源渠道不存在");
  return source;
}

/** The keys of a channel for another place; refused unless they go to the same server there. */
async function keysFor(
  store: SaveDeps["store"],
  secrets: Secrets,
  source: ListedChannel,
  place: Place,
): Promise<string[]> {
  if (keyTarget(source) !== keyTarget(place)) {
    throw new Refusal("invalid-input", "更换 API 地址或类型时必须重新填写密钥", { field: "key" });
  }
  const [loaded] = await store.loadChannels([source.id]);
  return openKeys(source, loaded?.keys ?? [], secrets);
}

/** @returns the channel as it is now. */
export async function updateChannel(
  { store, secrets, policy }: SaveDeps,
  sent: z.output<(typeof contract.updateChannel)["input"]>,
  act: Act,
): Promise<ListedChannel> {
  const present = await store.findChannel(sent.id);
  if (present === undefined) {
    throw new Refusal("not-found", "渠道未找到，请刷新页面后重试。");
  }
  const set = editedSet(present, sent);
  const next = { ...present, ...set };
  // A channel that could not be created today can still be switched off or renamed.
  if (needsCheck(present, next)) checkChannel(next, policy);
  const plain = sentKeys(sent);
  const context = keyContext(next);
  const moved = context !== keyContext(present) && present.key_hints.length > 0;
  const fresh = plain.length === 0 && moved ? await keysFor(store, secrets, present, next) : plain;
  const keys = fresh.length === 0 ? null : fresh.map((key) => sealKey(secrets, context, key));
  const seen = { type: present.type, base_url: present.base_url };
  return await store.updateChannel({ id: sent.id, set, keys, seen, ...act });
}

function needsCheck(present: ChannelRow, next: ChannelRow): boolean {
  return (["type", "base_url", "setting"] as const).some((name) => present[name] !== next[name]);
}

/**
 * A channel as it would be saved, open for a trial; nothing is written. With an `id` and no key
 * it has that channel's keys, on the terms they could be saved on.
 *
 * @throws Refusal where saving it would be refused.
 */
export async function openUnsaved(
  deps: SaveDeps,
  sent: SentChannel & { readonly id?: number | undefined },
): Promise<OpenChannel> {
  const row = { ...newRow({ ...sent, name: sent.name || "…" }, 0), id: sent.id ?? 0 };
  checkChannel(row, deps.policy);
  const provider = findProvider(row.type);
  if (provider === undefined) throw new Refusal("invalid-input", `不支持的渠道类型：${row.type}`);
  return channelView(row, await keysOrStored(deps, { ...sent, ...row }), provider);
}

/** The keys that were sent; none and an `id`: that channel's, if they go to the same server. */
export async function keysOrStored(
  { store, secrets }: Pick<SaveDeps, "store" | "secrets">,
  sent: Pick<SentChannel, "key" | "keys"> & Place & { readonly id?: number | undefined },
): Promise<string[]> {
  const { id = 0 } = sent;
  const plain = sentKeys(sent);
  const source = plain.length > 0 || id === 0 ? undefined : await store.findChannel(id);
  return source === undefined ? plain : await keysFor(store, secrets, source, sent);
}
