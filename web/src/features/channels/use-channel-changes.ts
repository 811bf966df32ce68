/**
 * The actions on channels that rows, menus and the bulk bar offer, with their confirmations and
 * messages.
 */

import {
  type Channel,
  channelStatus,
  searchChannels,
} from "@tollgate/contract/endpoints/channels.ts";
import { useMemo } from "react";
import { callWhole } from "#api/call.ts";
import { type T, useT } from "#i18n/t.ts";
import { describeError } from "#ui/feedback/describe-error.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import { toast, toastError } from "#ui/overlays/toast.ts";
import { countTagged } from "#widgets/channels/tagged.ts";
import { copyOf } from "./form/channel-form.ts";
import type { BulkResult } from "#ui/table/column.ts";
import * as api from "./channels.api.ts";
import { noteTest } from "./tests-running.ts";

const { enabled, disabled, disabledAutomatically } = channelStatus.enum;

export type ChannelChanges = ReturnType<typeof useChannelChanges>;

/**
 * Returns the actions, always as the same object until the language changes, so that rows are not
 * redrawn.
 */
export function useChannelChanges() {
  const t = useT();
  const calls = useCalls();
  return useMemo(
    () => ({ ...oneChanges(t, calls), ...manyChanges(t, calls), ...tagChanges(t, calls) }),
    [t, calls],
  );
}

type Calls = ReturnType<typeof useCalls>;

/**
 * Returns the mutations, always as the same object, because React Query returns the same functions
 * on each render.
 */
function useCalls() {
  const patch = api.usePatchChannel();
  const create = api.useCreateChannel();
  const remove = api.useRemoveChannel();
  const test = api.useTestChannel();
  const updateBalance = api.useUpdateBalance();
  const many = useManyCalls();
  const updateTag = api.useUpdateTag();
  const switchTag = api.useSwitchTag();
  const confirm = useConfirm();
  return useMemo(
    () => ({ patch, create, remove, test, updateBalance, updateTag, switchTag, confirm, ...many }),
    [patch, create, remove, test, updateBalance, updateTag, switchTag, confirm, many],
  );
}

function useManyCalls() {
  const removeMany = api.useRemoveChannels();
  const removeDisabled = api.useRemoveDisabled();
  const fix = api.useFixChannels();
  const switchMany = api.useSwitchChannels();
  const tagMany = api.useTagChannelsChange();
  const testAll = api.useTestAll();
  const updateBalances = api.useUpdateBalances();
  return useMemo(
    () => ({ removeMany, removeDisabled, fix, switchMany, tagMany, testAll, updateBalances }),
    [removeMany, removeDisabled, fix, switchMany, tagMany, testAll, updateBalances],
  );
}

function oneChanges(t: T, calls: Calls) {
  return {
    /** Enables or disables a channel. Rejects if the server refuses; the switch then goes back. */
    switchOne: (channel: Channel, on: boolean) =>
      calls.patch({ id: channel.id, status: on ? enabled : disabled }),

    saveNumber: (channel: Channel, name: "priority" | "weight", value: number) =>
      calls.patch({ id: channel.id, [name]: value }),

    async test(channel: Pick<Channel, "id" | "name">, model: string): Promise<boolean> {
      const { id, name } = channel;
      noteTest(id, model, { kind: "running" });
      try {
        const seconds = await calls.test({ id, model });
        noteTest(id, model, { kind: "passed", seconds });
        const said = { id, name, seconds: seconds.toFixed(2) };
        toast({ tone: "success", title: t("channels.testPassed", said) });
        return true;
      } catch (error) {
        const message = describeError(error).title;
        noteTest(id, model, { kind: "failed", message });
        toast({ tone: "danger", title: t("channels.testFailed", { id, message }) });
        return false;
      }
    },

    /**
     * Creates a copy of the channel. The message afterwards has a button that calls `onEdit` with
     * the copy's id.
     */
    async copy(channel: Channel, onEdit: (id: number) => void): Promise<void> {
      try {
        const [id = 0] = await calls.create(copyOf(channel));
        const action = { label: t("channels.edit"), onClick: () => onEdit(id) };
        toast({ tone: "success", title: t("channels.copied", { name: channel.name }), action });
      } catch (error) {
        const reason = describeError(error).title;
        toast({ tone: "danger", title: t("channels.copyFailed", { reason }) });
      }
    },

    async updateBalance(channel: Channel): Promise<void> {
      const { id, name } = channel;
      try {
        const balance = (await calls.updateBalance(id)).toFixed(2);
        toast({ tone: "success", title: t("channels.balanceUpdated", { name, balance }) });
      } catch (error) {
        toastError(error);
      }
    },

    /** Shows the error of a refused action as a toast. */
    tell: (error: unknown): void => toastError(error),

    async remove(channel: Channel): Promise<void> {
      const agreed = await calls.confirm({
        title: t("channels.removeTitle", { name: channel.name }),
        body: t("channels.removeBody"),
        confirmLabel: t("channels.remove"),
        tone: "danger",
      });
      if (!agreed) return;
      await saying(t("ui.saved"), () => calls.remove(channel.id));
    },
  };
}

function manyChanges(t: T, calls: Calls) {
  const idsOf = (channels: readonly Channel[]): number[] => channels.map(({ id }) => id);
  return {
    /** Removes channels after a confirmation; false: the user cancelled. */
    async removeMany(channels: readonly Channel[]): Promise<void | false> {
      const count = channels.length;
      const agreed = await calls.confirm({
        title: t("channels.removeManyTitle", { count }),
        body: channels
          .slice(0, namedMax)
          .map(({ name }) => name)
          .join("、"),
        confirmLabel: t("channels.remove"),
        tone: "danger",
        typed: String(count),
      });
      if (!agreed) return false;
      const removed = await calls.removeMany(idsOf(channels));
      toast({ tone: "success", title: t("channels.removedCount", { count: removed }) });
    },

    async switchMany(channels: readonly Channel[], on: boolean): Promise<void | BulkResult> {
      const status = on ? enabled : disabled;
      const count = await calls.switchMany({ ids: idsOf(channels), status });
      const title = on
        ? t("channels.enabledCount", { count })
        : t("channels.disabledCount", { count });
      return changedOf(count, channels, title);
    },

    /** Copies channels one after the other, so that copies stand in the order of their sources. */
    async copyMany(channels: readonly Channel[]): Promise<void | BulkResult> {
      const failed: { id: string; reason: string }[] = [];
      for (const channel of channels) {
        try {
          await calls.create(copyOf(channel));
        } catch (error) {
          failed.push({ id: String(channel.id), reason: describeError(error).title });
        }
      }
      const done = channels.length - failed.length;
      if (failed.length > 0) return { done, total: channels.length, failed };
      toast({ tone: "success", title: t("channels.copiedCount", { count: done }) });
    },

    async tagMany(channels: readonly Channel[], tag: string): Promise<void | BulkResult> {
      const count = await calls.tagMany({ ids: idsOf(channels), tag });
      return changedOf(count, channels, t("channels.taggedCount", { count }));
    },

    async removeDisabled(): Promise<void> {
      const { names, count } = await readDisabled();
      if (count === 0) {
        toast({ tone: "info", title: t("channels.noneDisabled") });
        return;
      }
      const agreed = await calls.confirm({
        title: t("channels.removeDisabledTitle", { count }),
        body: t("channels.removeDisabledBody", {
          names: names.join(t("channels.nameComma")) + (count > names.length ? " …" : ""),
        }),
        confirmLabel: t("channels.remove"),
        tone: "danger",
        ...(count > 1 ? { typed: String(count) } : {}),
      });
      if (!agreed) return;
      await counting((count) => t("channels.removedDisabled", { count }), calls.removeDisabled);
    },

    fix: () => counting((count) => t("channels.fixedCount", { count }), calls.fix),
    testAll: () => saying(t("channels.testAllStarted"), () => calls.testAll(undefined)),
    /** Tests the channels that have this key, with this model. */
    testByKey: (key: string, model: string) =>
      saying(t("channels.testByKeyStarted"), () => calls.testAll({ key, model })),
    updateBalances: () => saying(t("channels.balancesStarted"), calls.updateBalances),
  };
}

/**
 * Reports the result of a bulk change. If channels were removed since they were listed, the result
 * says how many of them were changed.
 */
function changedOf(done: number, asked: readonly Channel[], title: string): void | BulkResult {
  if (done < asked.length) return { done, total: asked.length, failed: [] };
  toast({ tone: "success", title });
}

/** The largest number of channels that a confirmation lists by name. */
const namedMax = 10;

function tagChanges(t: T, calls: Calls) {
  const names = { priority: t("channels.priority"), weight: t("channels.weight") };
  return {
    /** Enables or disables all channels of a tag after a question; false: the user cancelled. */
    async switchTag(tag: string, on: boolean): Promise<void | false> {
      const agreed = await calls.confirm({
        title: t(on ? "channels.tagEnableTitle" : "channels.tagDisableTitle", { tag }),
        body: t("channels.tagReach", { count: await countTagged(tag) }),
        confirmLabel: t(on ? "channels.enable" : "channels.disable"),
      });
      if (!agreed) return false;
      await calls.switchTag({ tag, enabled: on });
    },

    async saveTagNumber(tag: string, name: "priority" | "weight", value: number): Promise<void> {
      const agreed = await calls.confirm({
        title: t("channels.tagNumberTitle", { name: names[name], tag, value }),
        body: t("channels.tagReach", { count: await countTagged(tag) }),
        confirmLabel: t("channels.change"),
      });
      if (agreed) await calls.updateTag({ tag, [name]: value });
    },
  };
}

async function saying(title: string, act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
    toast({ tone: "success", title });
  } catch (error) {
    toastError(error);
  }
}

async function counting(
  title: (count: number) => string,
  act: () => Promise<number>,
): Promise<void> {
  try {
    toast({ tone: "success", title: title(await act()) });
  } catch (error) {
    toastError(error);
  }
}

/** Counts the channels that are not enabled, and reads the names of the first of them. */
async function readDisabled(): Promise<{ names: readonly string[]; count: number }> {
  const lists = await Promise.all(
    [disabled, disabledAutomatically].map((status) =>
      callWhole(searchChannels, { status, p: 0, page_size: namedMax }),
    ),
  );
  return {
    names: lists.flatMap(({ data }) => data.map(({ name }) => name)).slice(0, namedMax),
    count: lists.reduce((sum, { extras }) => sum + extras.total, 0),
  };
}
