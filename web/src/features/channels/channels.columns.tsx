/** The columns of the list of channels. */

import type { Channel } from "@tollgate/contract/endpoints/channels.ts";
import type { T } from "#i18n/t.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import type { Column } from "#ui/table/column.ts";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { InlineNumber } from "#ui/table/cells/InlineNumber.tsx";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import {
  BalanceText,
  ChannelMarks,
  ChannelName,
  GroupBadges,
  ModelCount,
  modelsOf,
  ResponseCell,
  StatusCell,
  TagFold,
  TagName,
  TagNumber,
  TagResponse,
  TagStatus,
  TypeCell,
} from "./channel-cells.tsx";
import { showMs } from "./channel-display.ts";
import { listOf, type ListRow } from "./channel-rows.ts";

/** The smallest priority that can be typed into a row of the list. */
const inlinePriorityMin = -999;

/** A smaller weight becomes this one, because the server refuses negative weights. */
const weightFloor = 0;

type ColumnDeps = {
  readonly t: T;
  /** Returns the name of a channel type; undefined if the server does not know the type. */
  readonly typeLabel: (type: number) => string | undefined;
  readonly onUnfold: (tag: string) => void;
  readonly onSwitch: (channel: Channel, on: boolean) => Promise<unknown>;
  readonly onSwitchTag: (tag: string, on: boolean) => Promise<unknown>;
  readonly onNumber: (
    channel: Channel,
    name: "priority" | "weight",
    value: number,
  ) => Promise<unknown>;
  readonly onTagNumber: (
    tag: string,
    name: "priority" | "weight",
    value: number,
  ) => Promise<unknown>;
};

export function channelColumns(deps: ColumnDeps): Column<ListRow>[] {
  return [...namingColumns(deps), ...figureColumns(deps), ...tuningColumns(deps)];
}

function namingColumns({ t, typeLabel, onUnfold, onSwitch, onSwitchTag }: ColumnDeps) {
  const columns: Column<ListRow>[] = [
    {
      id: "id",
      title: t("channels.id"),
      // Rank 2 keeps this column in narrow windows, because it has the button that unfolds a tag.
      rank: 2,
      width: 40,
      sort: true,
      has: isChannel,
      cell: (row) =>
        row.kind === "tag" ? (
          <TagFold row={row} onUnfold={onUnfold} />
        ) : (
          <Muted>{row.channel.id}</Muted>
        ),
      csv: (row) => (row.kind === "tag" ? "" : String(row.channel.id)),
    },
    {
      id: "name",
      title: t("channels.name"),
      rank: 1,
      width: 160,
      grow: 1,
      sort: true,
      card: "title",
      cell: (row) => (row.kind === "tag" ? <TagName row={row} /> : <ChannelName {...row} />),
      below: (row) => (row.kind === "tag" ? null : <ChannelMarks {...row} />),
      csv: (row) => (row.kind === "tag" ? row.tag : row.channel.name),
    },
    {
      id: "group",
      title: t("channels.groups"),
      rank: 4,
      width: 80,
      cell: (row) => (
        <GroupBadges groups={row.kind === "tag" ? row.groups : listOf(row.channel.group)} />
      ),
      csv: (row) => (row.kind === "tag" ? row.groups.join(",") : row.channel.group),
    },
    {
      id: "type",
      title: t("channels.type"),
      rank: 4,
      width: 100,
      sort: true,
      card: "fact",
      has: isChannel,
      brief: (row) => (row.kind === "tag" ? null : typeLabel(row.channel.type)),
      cell: (row) =>
        row.kind === "tag" ? null : (
          <TypeCell type={row.channel.type} label={typeLabel(row.channel.type)} />
        ),
      csv: (row) => (row.kind === "tag" ? "" : (typeLabel(row.channel.type) ?? "")),
    },
    {
      id: "status",
      title: t("channels.status"),
      rank: 1,
      width: 116,
      sort: true,
      card: "lead",
      cell: (row) =>
        row.kind === "tag" ? (
          <TagStatus row={row} onSwitch={onSwitchTag} />
        ) : (
          <StatusCell channel={row.channel} onSwitch={onSwitch} />
        ),
      csv: (row) => (row.kind === "tag" ? String(row.enabledCount) : String(row.channel.status)),
    },
  ];
  return columns;
}

function figureColumns({ t }: ColumnDeps) {
  const columns: Column<ListRow>[] = [
    {
      id: "response_time",
      title: t("channels.responseTime"),
      rank: 3,
      width: 100,
      sort: true,
      card: "fact",
      brief: (row) => {
        const ms = row.kind === "tag" ? row.response_time : row.channel.response_time;
        const failed = row.kind === "tag" ? row.failedCount : 0;
        const parts = [
          ms > 0 && showMs(ms),
          failed > 0 && t("channels.testsFailed", { count: failed }),
        ].filter((part) => part !== false);
        return parts.length === 0 ? null : parts.join(" · ");
      },
      cell: (row) =>
        row.kind === "tag" ? (
          <TagResponse row={row} t={t} />
        ) : (
          <ResponseCell channel={row.channel} />
        ),
      csv: (row) => String(row.kind === "tag" ? row.response_time : row.channel.response_time),
    },
    {
      id: "used_quota",
      title: t("channels.usedAndBalance"),
      rank: 1,
      width: 100,
      align: "right",
      sort: true,
      card: "fact",
      // A balance that was never read takes no room from the number of models.
      brief: (row) =>
        row.kind === "tag" || row.channel.balance_updated_time === 0 ? (
          <QuotaText quota={row.kind === "tag" ? row.used_quota : row.channel.used_quota} />
        ) : (
          <UsedAndBalance channel={row.channel} />
        ),
      cell: (row) =>
        row.kind === "tag" ? (
          <QuotaText quota={row.used_quota} />
        ) : (
          <UsedAndBalance channel={row.channel} />
        ),
      csv: (row) => String(row.kind === "tag" ? row.used_quota : row.channel.used_quota),
    },
    {
      id: "models",
      title: t("channels.models"),
      rank: 5,
      width: 44,
      align: "right",
      card: "fact",
      brief: (row) =>
        t("channels.modelsShort", {
          count: row.kind === "tag" ? row.models.length : modelsOf(row.channel).length,
        }),
      cell: (row) => (
        <ModelCount models={row.kind === "tag" ? row.models : modelsOf(row.channel)} />
      ),
      csv: (row) => (row.kind === "tag" ? row.models.join(",") : row.channel.models),
    },
  ];
  return columns;
}

function tuningColumns({ t, onNumber, onTagNumber }: ColumnDeps) {
  const columns: Column<ListRow>[] = [
    {
      id: "priority",
      title: t("channels.priority"),
      rank: 4,
      width: 60,
      align: "right",
      sort: true,
      cell: (row) => {
        const label = labelOf(t("channels.priority"), row);
        const min = inlinePriorityMin;
        if (row.kind === "channel") {
          const save = (value: number) => onNumber(row.channel, "priority", value);
          return (
            <InlineNumber value={row.channel.priority} label={label} min={min} onSave={save} />
          );
        }
        return (
          <TagNumber
            value={row.priority}
            label={label}
            min={min}
            onSave={(value) => onTagNumber(row.tag, "priority", value)}
          />
        );
      },
      csv: (row) => String((row.kind === "tag" ? row : row.channel).priority ?? ""),
    },
    {
      id: "weight",
      title: t("channels.weight"),
      rank: 4,
      width: 60,
      align: "right",
      sort: true,
      cell: (row) => {
        const label = labelOf(t("channels.weight"), row);
        if (row.kind === "channel") {
          const save = (value: number) => onNumber(row.channel, "weight", value);
          return (
            <InlineNumber
              value={row.channel.weight}
              label={label}
              floor={weightFloor}
              onSave={save}
            />
          );
        }
        return (
          <TagNumber
            value={row.weight}
            label={label}
            floor={weightFloor}
            onSave={(value) => onTagNumber(row.tag, "weight", value)}
          />
        );
      },
      csv: (row) => String((row.kind === "tag" ? row : row.channel).weight ?? ""),
    },
    {
      id: "tag",
      title: t("channels.tag"),
      rank: 5,
      width: 100,
      hidden: true,
      has: (row) => row.kind === "channel" && row.channel.tag !== null,
      cell: (row) =>
        row.kind === "tag" ? null : <CutText max={160}>{row.channel.tag ?? "–"}</CutText>,
      csv: (row) => (row.kind === "tag" ? row.tag : (row.channel.tag ?? "")),
    },
    {
      id: "created_time",
      title: t("channels.createdTime"),
      rank: 5,
      width: 110,
      sort: true,
      hidden: true,
      has: isChannel,
      cell: (row) => (row.kind === "tag" ? null : <TimeCell seconds={row.channel.created_time} />),
      csv: (row) => (row.kind === "tag" ? "" : String(row.channel.created_time)),
    },
  ];
  return columns;
}

function UsedAndBalance({ channel }: { channel: Channel }) {
  return (
    <span className="whitespace-nowrap">
      <QuotaText quota={channel.used_quota} />
      <Muted>{" / "}</Muted>
      <BalanceText balance={channel.balance} at={channel.balance_updated_time} />
    </span>
  );
}

function isChannel(row: ListRow): boolean {
  return row.kind === "channel";
}

function labelOf(title: string, row: ListRow): string {
  return `${title}: ${row.kind === "tag" ? row.tag : row.channel.name}`;
}
