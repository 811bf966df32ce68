/** Handles the requests of the console API that change several channels, or all of a tag. */

import * as contract from "@tollgate/contract/endpoints/channels.ts";
import { Refusal } from "#base/refusal.ts";
import type { RemoteStore } from "#db/store.ts";
import { type Caller, type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import { definedOnly } from "./channel-edits.ts";
import type { ChannelSet } from "./channels.repo.ts";
import type { channelStore } from "./channels.store.ts";

type TagDeps = {
  readonly store: RemoteStore<typeof channelStore>;
  /** Resolves once this node uses every configuration change that was written before the call. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

export function tagHandlers({ store, applyChanges, now }: TagDeps): Handler[] {
  const change = async (tag: string, set: Parameters<typeof definedOnly>[0], caller: Caller) => {
    const update = { tag, set: definedOnly(set), actor: actorOf(caller), nowMs: now() };
    await store.updateTag(update);
    await applyChanges();
  };
  const changeSeveral = async (
    action: "channel.tag" | "channel.switch",
    ids: readonly number[],
    set: ChannelSet,
    caller: Caller,
  ) => {
    const change = { action, ids, set, actor: actorOf(caller), nowMs: now() };
    const changed = await store.updateSeveral(change);
    await applyChanges();
    return changed;
  };
  const given = (tag: string | undefined, rule: string): string => {
    if (tag === undefined || tag === "") throw new Refusal("invalid-input", rule);
    return tag;
  };
  return [
    handle(contract.tagChannels, async ({ ids, tag = "" }, caller) => {
      return await changeSeveral("channel.tag", ids, { tag: tag || null }, caller);
    }),
    handle(contract.switchChannels, async ({ ids, status }, caller) => {
      // Enabling a channel by hand clears the reason for which it was disabled.
      const set = status === 1 ? { status, other_info: "" } : { status };
      return await changeSeveral("channel.switch", ids, set, caller);
    }),
    handle(contract.updateTag, async ({ tag, new_tag, ...sent }, caller) => {
      const set = {
        tag: new_tag === undefined || new_tag === tag ? undefined : new_tag || null,
        priority: sent.priority,
        weight: sent.weight,
        model_mapping: sent.model_mapping || undefined,
        models: sent.models || undefined,
        group: sent.groups || undefined,
      };
      const named = given(tag, "tag不能为空");
      if (Object.keys(definedOnly(set)).length === 0) {
        throw new Refusal("invalid-input", "没有任何修改！");
      }
      await change(named, set, caller);
    }),
    handle(contract.enableTag, async ({ tag }, caller) => {
      await change(given(tag, "参数错误"), { status: 1, other_info: "" }, caller);
    }),
    handle(contract.disableTag, async ({ tag }, caller) => {
      await change(given(tag, "参数错误"), { status: 2 }, caller);
    }),
  ];
}
