import type { AdminUser } from "@tollgate/contract/users.ts";
import { showTime } from "#display/time.ts";
import type { T } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import type { Column } from "#ui/table/column.ts";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";
import { Invitations, Recent, Share, Spend, UserName } from "./user-cells.tsx";
import { roleLook, statusLook } from "./user-rules.ts";
import type { UserSource } from "./users.api.ts";

type UserColumnDeps = {
  readonly t: T;
  /** Which of the two lists. */
  readonly source: UserSource;
  readonly onOpen: (open: string) => void;
};

type UserColumn = Column<AdminUser>;

export function userColumns(deps: UserColumnDeps): readonly UserColumn[] {
  const { t, source } = deps;
  const [group, ...states] = stateColumns(t);
  const [quota, ...figures] = figureColumns(t);
  const rest = [...figures, group];
  // The columns that fit without scrolling sideways come first.
  return source === "list"
    ? [
        ...namingColumns(deps),
        group,
        ...states,
        quota,
        ...figures,
        recentColumn(t),
        lastUseColumn(t),
      ]
    : [
        ...namingColumns(deps),
        ...states,
        quota,
        ...windowColumns(t),
        lastUseColumn(t),
        createdColumn(t),
        ...rest,
      ];
}

function namingColumns({ t, onOpen }: UserColumnDeps): readonly UserColumn[] {
  return [
    {
      id: "username",
      title: t("users.username"),
      width: 140,
      grow: true,
      card: "title",
      csv: (row) => row.username,
      cell: (row) => <UserName row={row} onOpen={() => onOpen(String(row.id))} />,
    },
    {
      id: "id",
      title: t("users.id"),
      width: 52,
      align: "right",
      card: "none",
      csv: (row) => String(row.id),
      cell: (row) => <Muted>{row.id}</Muted>,
    },
  ];
}

function stateColumns(t: T): readonly [UserColumn, ...UserColumn[]] {
  return [
    {
      id: "group",
      title: t("users.group"),
      width: 84,
      card: "line",
      csv: (row) => row.group,
      cell: (row) => <CutText max={140}>{row.group}</CutText>,
    },
    {
      id: "role",
      title: t("users.role"),
      width: 88,
      card: "status",
      csv: (row) => t(roleLook[row.role].label),
      cell: (row) => <Badge tone={roleLook[row.role].tone}>{t(roleLook[row.role].label)}</Badge>,
    },
    {
      id: "status",
      title: t("users.status"),
      width: 76,
      card: "status",
      csv: (row) => t(statusLook(row).label),
      cell: (row) => <Badge tone={statusLook(row).tone}>{t(statusLook(row).label)}</Badge>,
    },
  ];
}

function figureColumns(t: T): readonly [UserColumn, ...UserColumn[]] {
  return [
    {
      id: "quota",
      title: t("users.quotaColumn"),
      width: 140,
      card: "figure",
      csv: (row) => `${row.quota} / ${row.used_quota}`,
      cell: (row) => <Spend row={row} />,
    },
    {
      id: "request_count",
      title: t("users.calls"),
      width: 60,
      align: "right",
      card: "line",
      csv: (row) => String(row.request_count),
      cell: (row) => row.request_count.toLocaleString("en-US"),
    },
    {
      id: "aff_count",
      title: t("users.invitations"),
      width: 72,
      align: "right",
      card: "none",
      csv: (row) => `${row.aff_count} / ${row.aff_history_quota}`,
      cell: (row) => <Invitations row={row} />,
    },
  ];
}

/** The three windows in one column. */
function recentColumn(t: T): UserColumn {
  return {
    id: "recent",
    title: t("users.recent"),
    width: 120,
    align: "right",
    card: "line",
    csv: (row) => `${row.one_day} / ${row.one_week} / ${row.one_month}`,
    cell: (row) => <Recent row={row} />,
  };
}

/** Each window in a column of its own, with its share of everybody's consumption. */
function windowColumns(t: T): readonly UserColumn[] {
  return [
    {
      id: "one_day",
      title: t("users.oneDay"),
      width: 96,
      align: "right",
      card: "line",
      csv: (row) => `${row.one_day} / ${row.one_day_ratio}`,
      cell: (row) => <Share quota={row.one_day} ratio={row.one_day_ratio} />,
    },
    {
      id: "one_week",
      title: t("users.oneWeek"),
      width: 96,
      align: "right",
      card: "line",
      csv: (row) => `${row.one_week} / ${row.one_week_ratio}`,
      cell: (row) => <Share quota={row.one_week} ratio={row.one_week_ratio} />,
    },
    {
      id: "one_month",
      title: t("users.oneMonth"),
      width: 96,
      align: "right",
      card: "line",
      csv: (row) => `${row.one_month} / ${row.one_month_ratio}`,
      cell: (row) => <Share quota={row.one_month} ratio={row.one_month_ratio} />,
    },
  ];
}

function lastUseColumn(t: T): UserColumn {
  return {
    id: "last_use_time",
    title: t("users.lastUse"),
    width: 88,
    card: "figure",
    csv: (row) => showTime(row.last_use_time, ""),
    cell: (row) =>
      row.last_use_time > 0 ? (
        <TimeCell seconds={row.last_use_time} />
      ) : (
        <Muted>{t("users.neverUsed")}</Muted>
      ),
  };
}

function createdColumn(t: T): UserColumn {
  return {
    id: "create_time",
    title: t("users.created"),
    width: 88,
    card: "none",
    csv: (row) => showTime(row.create_time, ""),
    cell: (row) => <TimeCell seconds={row.create_time} />,
  };
}
