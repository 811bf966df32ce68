/** Prepares a new or edited channel for the store: checks the fields and seals the keys. */

import type * as contract from "@tollgate/contract/endpoints/channels.ts";
import { channelMissing } from "@tollgate/contract/endpoints/channels.ts";
import type { z } from "zod";
import type { AddressPolicy } from "#base/address-policy.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import type { RemoteStore } from "#db/store.ts";
import { findProvider } from "#providers/registry.ts";
import type { ChannelTrials } from "./channel-trials.ts";
import {
  checkChannel,
  editedSet,
  newRow,
  requireGroups,
  type SentChannel,
  sentKeys,
} from "./channel-edits.ts";
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

type Place = Pick<ChannelRow, "type" | "base_url"> & { readonly setting?: string | undefined };

/**
 * Creates one channel with all entries of `keys`, or without `keys` one channel for each line of
 * `key`. A copy of another channel gets that channel's keys and cost list.
 *
 * @returns the ids of the new channels.
 */
export async function createChannels(
  { store, secrets, policy }: SaveDeps,
  sent: z.output<(typeof contract.createChannel)["input"]>,
  act: Act,
): Promise<number[]> {
  const row = newRow(sent, unixSeconds(act.nowMs));
  checkChannel(row, policy);
  requireGroups(sent);
  const source = await findSource(store, sent);
  const context = keyContext(row);
  const seal = (key: string): SealedKey => sealKey(secrets, context, key);
  if (source !== undefined) {
    const keys = (await keysFor(store, secrets, source, row)).map(seal);
    return await store.createChannels({ channels: [{ row, keys, costsOf: source.id }], ...act });
  }
  const keys = sentKeys(sent, row.type).map(seal);
  if (keys.length === 0) {
    throw new Refusal("invalid-input", "请填写渠道名称和渠道密钥！", { field: "key" });
  }
  const isOne = (sent.keys?.length ?? 0) > 0;
  const channels = isOne ? [{ row, keys }] : keys.map((key) => ({ row, keys: [key] }));
  return await store.createChannels({ channels, ...act });
}

const copyEnding = "_复制";

/**
 * Finds the channel that a new one is copied from; undefined when the new channel is not a copy.
 * New consoles send `copy_from`. Older consoles send the source's whole list row instead, with a
 * null `created_time`, a name that ends in `_复制`, and a `key` that is empty or the id of the
 * source.
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
  if (source === undefined) throw new Refusal("not-found", "源渠道不存在");
  return source;
}

/**
 * Opens the sealed keys of channel `source`, for use by a channel with the type and base URL of
 * `place`.
 *
 * @throws Refusal `invalid-input` when `place` would send the keys to another server.
 */
async function keysFor(
  store: SaveDeps["store"],
  secrets: Secrets,
  source: ListedChannel,
  place: Place,
): Promise<string[]> {
  if (keyTarget(source) !== keyTarget(place)) {
    const isSameServer =
      keyTarget({ ...source, setting: "" }) === keyTarget({ ...place, setting: "" });
    const message = isSameServer
      ? "API 地址不是 https 时，更换代理必须重新填写密钥"
      : "更换 API 地址或类型时必须重新填写密钥";
    throw new Refusal("invalid-input", message, { field: "key" });
  }
  const [loaded] = await store.loadChannels([source.id]);
  return openKeys(source, loaded?.keys ?? [], secrets);
}

/**
 * Checks an edit, seals its keys and saves it.
 *
 * @returns the channel after the edit.
 */
export async function updateChannel(
  { store, secrets, policy }: SaveDeps,
  sent: z.output<(typeof contract.updateChannel)["input"]>,
  act: Act,
): Promise<ListedChannel> {
  const present = await store.findChannel(sent.id);
  if (present === undefined) {
    throw new Refusal("not-found", channelMissing);
  }
  const set = editedSet(present, sent);
  const next = { ...present, ...set };
  // Only an edit of type, base URL, region or settings is checked, so that a channel that breaks a rule
  // introduced after it was saved can still be disabled or renamed.
  if (needsCheck(present, next)) checkChannel(next, policy);
  const plain = sentKeys(sent, next.type);
  const context = keyContext(next);
  const isElsewhere = keyTarget(next) !== keyTarget(present) || context !== keyContext(present);
  const moved = isElsewhere && present.key_hints.length > 0;
  const fresh = plain.length === 0 && moved ? await keysFor(store, secrets, present, next) : plain;
  const keys = fresh.length === 0 ? null : fresh.map((key) => sealKey(secrets, context, key));
  const seen = { type: present.type, base_url: present.base_url };
  return await store.updateChannel({ id: sent.id, set, keys, seen, ...act });
}

function needsCheck(present: ChannelRow, next: ChannelRow): boolean {
  return (["type", "base_url", "other", "setting"] as const).some(
    (name) => present[name] !== next[name],
  );
}

/**
 * Makes a channel, in the form the relay uses, from fields that are not saved, so that it can be
 * tried; nothing is written. If `id` but no key was sent, the channel gets the stored keys of
 * channel `id`, provided that they would go to the same server.
 *
 * @throws Refusal when saving the channel would be refused.
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

/** Notes that a new channel is tested, if it was tried just as it was saved. */
export async function noteTrial(
  deps: SaveDeps,
  trials: ChannelTrials,
  sent: SentChannel,
  { ids, nowMs }: { readonly ids: readonly number[]; readonly nowMs: number },
): Promise<void> {
  const [id] = ids;
  // Of several channels with a key each, only the first key was tried. A copy has sent no key.
  if (id === undefined || ids.length > 1 || sentKeys(sent, sent.type ?? 0).length === 0) return;
  const seconds = trials.find(await openUnsaved(deps, sent));
  if (seconds === null) return;
  const response_time = Math.max(1, Math.round(seconds * 1_000));
  await deps.store.saveTest({ id, test_time: unixSeconds(nowMs), response_time, test_error: "" });
}

/**
 * Returns the keys that were sent, or else the stored keys of channel `id`.
 * @throws Refusal `invalid-input` when the stored keys would go to another server.
 */
export async function keysOrStored(
  { store, secrets }: Pick<SaveDeps, "store" | "secrets">,
  sent: Pick<SentChannel, "key" | "keys"> & Place & { readonly id?: number | undefined },
): Promise<string[]> {
  const { id = 0 } = sent;
  const plain = sentKeys(sent, sent.type);
  const source = plain.length > 0 || id === 0 ? undefined : await store.findChannel(id);
  return source === undefined ? plain : await keysFor(store, secrets, source, sent);
}
