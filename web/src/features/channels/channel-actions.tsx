import { type Channel, channelStatus } from "@tollgate/contract/endpoints/channels.ts";
import {
  Ban,
  ChevronsUpDown,
  CircleCheck,
  Copy,
  FlaskConical,
  ListChecks,
  Pencil,
  Tag,
  Trash2,
  Wallet,
} from "lucide-react";
import type { T } from "#i18n/t.ts";
import type { BulkAction, BulkResult, RowAction } from "#ui/table/column.ts";
import type { ChannelType } from "./form/channel-form.ts";
import { channelsOf, type ListRow } from "./channel-rows.ts";
import type { ChannelChanges } from "./use-channel-changes.ts";

const { enabled } = channelStatus.enum;

type ActionDeps = {
  readonly t: T;
  readonly changes: ChannelChanges;
  readonly typeOf: (type: number) => ChannelType | undefined;
  readonly onEdit: (id: number) => void;
  readonly onEditTag: (tag: string) => void;
  readonly onUnfold: (tag: string) => void;
  readonly onTestModels: (id: number) => void;
  /** Asks for a tag and sets it on the channels. Resolves to false if the user cancelled. */
  readonly onTagMany: (channels: readonly Channel[]) => Promise<void | false | BulkResult>;
};

/**
 * Makes the actions of a row of the list: those for channels, then those for tags. Each is shown
 * only on rows of its own kind.
 */
export function rowActions(deps: ActionDeps): RowAction<ListRow>[] {
  return [...channelActions(deps), ...tagActions(deps)];
}

function channelActions({ t, changes, typeOf, onEdit, onTestModels }: ActionDeps) {
  const isChannel = (row: ListRow) => row.kind === "channel";
  /** Makes an action that is shown only on channels, not on tags. */
  const on = (
    action: Omit<RowAction<ListRow>, "onSelect" | "disabled" | "shown">,
    onSelect: (channel: Channel) => unknown,
    rules: {
      readonly shown?: (channel: Channel) => boolean;
      readonly disabled?: (channel: Channel) => string | undefined;
    } = {},
  ): RowAction<ListRow> => ({
    ...action,
    shown: (row) => isChannel(row) && (rules.shown?.(row.channel) ?? true),
    disabled: (row) => (row.kind === "channel" ? rules.disabled?.(row.channel) : undefined),
    onSelect: (row) => {
      if (row.kind === "channel") onSelect(row.channel);
    },
  });
  const testable = {
    disabled: ({ type }: Channel) =>
      typeOf(type)?.testable === false ? t("channels.notTestable") : undefined,
  };
  const tells = {
    disabled: ({ type }: Channel) =>
      typeOf(type)?.tells_balance === true ? undefined : t("channels.noBalance"),
  };
  return [
    on(
      { key: "test", label: t("channels.test"), icon: <FlaskConical size={14} /> },
      (channel) => changes.test(channel, ""),
      testable,
    ),
    on({ key: "edit", label: t("channels.edit"), icon: <Pencil size={14} /> }, ({ id }) =>
      onEdit(id),
    ),
    on(
      { key: "test-models", label: t("channels.testModels"), icon: <ListChecks size={14} /> },
      ({ id }) => onTestModels(id),
      testable,
    ),
    on(
      { key: "enable", label: t("channels.enable"), icon: <CircleCheck size={14} /> },
      (channel) => void changes.switchOne(channel, true).catch(changes.tell),
      { shown: ({ status }) => status !== enabled },
    ),
    on(
      { key: "disable", label: t("channels.disable"), icon: <Ban size={14} /> },
      (channel) => void changes.switchOne(channel, false).catch(changes.tell),
      { shown: ({ status }) => status === enabled },
    ),
    on({ key: "copy", label: t("channels.copy"), icon: <Copy size={14} /> }, (channel) =>
      changes.copy(channel, onEdit),
    ),
    on(
      { key: "balance", label: t("channels.updateBalance"), icon: <Wallet size={14} /> },
      (channel) => changes.updateBalance(channel),
      tells,
    ),
    on(
      { key: "remove", label: t("channels.remove"), icon: <Trash2 size={14} />, tone: "danger" },
      (channel) => changes.remove(channel),
    ),
  ];
}

function tagActions({ t, changes, onEditTag, onUnfold }: ActionDeps): RowAction<ListRow>[] {
  const on = (
    action: Omit<RowAction<ListRow>, "onSelect" | "shown">,
    onSelect: (tag: string) => unknown,
  ): RowAction<ListRow> => ({
    ...action,
    shown: (row) => row.kind === "tag",
    onSelect: (row) => {
      if (row.kind === "tag") onSelect(row.tag);
    },
  });
  return [
    on({ key: "edit", label: t("channels.editTag"), icon: <Pencil size={14} /> }, onEditTag),
    // In the menu, because the switch of the row does the same and their words are long.
    on(
      {
        key: "enable-tag",
        label: t("channels.enableAll"),
        icon: <CircleCheck size={14} />,
        inMenu: true,
      },
      (tag) => changes.switchTag(tag, true).catch(changes.tell),
    ),
    on(
      {
        key: "disable-tag",
        label: t("channels.disableAll"),
        icon: <Ban size={14} />,
        inMenu: true,
      },
      (tag) => changes.switchTag(tag, false).catch(changes.tell),
    ),
    // Phones have no column for the button that unfolds a tag, so the menu has an action for it.
    on(
      {
        key: "unfold",
        label: t("channels.fold"),
        icon: <ChevronsUpDown size={14} />,
        inMenu: true,
      },
      onUnfold,
    ),
  ];
}

export function bulkActions({ t, changes, onTagMany }: ActionDeps): BulkAction<ListRow>[] {
  return [
    {
      key: "enable",
      unselected: t("channels.selectToChange"),
      label: t("channels.enable"),
      icon: <CircleCheck size={14} />,
      onSelect: (rows) => changes.switchMany(channelsOf(rows), true),
    },
    {
      key: "disable",
      unselected: t("channels.selectToChange"),
      label: t("channels.disable"),
      icon: <Ban size={14} />,
      onSelect: (rows) => changes.switchMany(channelsOf(rows), false),
    },
    {
      key: "tag",
      unselected: t("channels.selectToTag"),
      label: t("channels.setTag"),
      icon: <Tag size={14} />,
      onSelect: (rows) => onTagMany(channelsOf(rows)),
    },
    {
      key: "copy",
      unselected: t("channels.selectToChange"),
      label: t("channels.copy"),
      icon: <Copy size={14} />,
      onSelect: (rows) => changes.copyMany(channelsOf(rows)),
    },
    {
      key: "remove",
      unselected: t("channels.selectToRemove"),
      label: t("channels.remove"),
      icon: <Trash2 size={14} />,
      tone: "danger",
      onSelect: (rows) => changes.removeMany(channelsOf(rows)),
    },
  ];
}
