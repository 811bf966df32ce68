/** Channels of another gateway. One that cannot be used here as it is comes disabled. */

import * as contract from "@tollgate/contract/endpoints/channels.ts";
import type { AddressPolicy } from "#base/address-policy.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import { systemActor } from "#modules/audit/audit.ts";
import type { NeutralChannel } from "#ports/neutral.ts";
import { checkChannel, newRow, sentKeys } from "./channel-edits.ts";
import { channelStore } from "./channels.store.ts";
import { keyContext, sealKey } from "./channels.ts";

type ChannelDeps = {
  readonly secrets: Secrets;
  readonly policy: AddressPolicy;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** The type of channels whose upstream speaks OpenAI's format at an address of its own. */
const customType = 8;

/** The status of channels that somebody has disabled. */
const disabled = 2;

const parsed = contract.createChannel.input;

/** Says why a channel must be disabled here; null: it need not be. */
export function channelFault(
  channel: NeutralChannel,
  { policy }: Pick<ChannelDeps, "policy">,
): string | null {
  if (channel.type === null) return `there is no channel type for its type ${channel.typeName}`;
  const read = parsed.safeParse(sentOf(channel));
  if (!read.success) {
    const [issue] = read.error.issues;
    return `${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`;
  }
  try {
    checkChannel(newRow(read.data, 0), policy);
    if (sentKeys(read.data, channel.type).length === 0) return "it has no key";
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.message;
  }
  return null;
}

function sentOf(channel: NeutralChannel) {
  return {
    type: channel.type ?? customType,
    name: channel.name,
    status: channel.isEnabled ? 1 : disabled,
    keys: [...channel.keys],
    base_url: channel.baseUrl,
    other: channel.other,
    models: channel.models,
    group: channel.group,
    model_mapping: channel.modelMapping,
    status_code_mapping: channel.statusCodeMapping,
    param_override: channel.paramOverride,
    setting: channel.proxy === "" ? "" : JSON.stringify({ proxy: channel.proxy }),
    tag: channel.tag === "" ? null : channel.tag,
    priority: channel.priority,
    weight: channel.weight,
    auto_ban: channel.isAutoDisabled ? 1 : 0,
    openai_organization: channel.organization,
    test_model: channel.testModel,
  };
}

/** Returns what can be stored of a channel; undefined: it has no name or no models that could be. */
function storableOf(channel: NeutralChannel) {
  const whole = parsed.safeParse(sentOf(channel));
  const plain = parsed.safeParse({
    type: channel.type ?? customType,
    name: channel.name,
    models: channel.models,
    group: channel.group,
  });
  const sent = whole.success ? whole.data : plain.data;
  return sent === undefined || (sent.models ?? "") === "" ? undefined : sent;
}

/** Whether a channel can be created at all. */
export function isStorable(channel: NeutralChannel): boolean {
  return storableOf(channel) !== undefined;
}

/**
 * Creates a channel; one with a fault gets only what is right of it, and is disabled.
 *
 * @returns the id; null: it has no name or no models that could be stored.
 */
export async function addImportedChannel(
  tx: Db,
  channel: NeutralChannel,
  { secrets, policy, nowMs }: ChannelDeps,
): Promise<number | null> {
  const fault = channelFault(channel, { policy });
  const sent = storableOf(channel);
  if (sent === undefined) return null;
  const status = fault === null && channel.isEnabled ? 1 : disabled;
  const row = { ...newRow(sent, unixSeconds(nowMs)), status };
  const keys = channel.keys.map((key) => sealKey(secrets, keyContext(row), key));
  const [id] = await channelStore.writes.createChannels(tx, {
    channels: [{ row, keys }],
    actor: systemActor,
    nowMs,
  });
  return id ?? null;
}

/** Removes channels whose import is taken back. */
export async function removeImportedChannels(
  tx: Db,
  ids: readonly number[],
  nowMs: number,
): Promise<void> {
  await channelStore.writes.removeChannels(tx, { ids, actor: systemActor, nowMs });
}
