/** The columns of the list of users. */

import type { AdminUser } from "@tollgate/contract/endpoints/users.ts";
import { showTime } from "#display/time.ts";
import type { T } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import type { Column } from "#ui/table/column.ts";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { Invitations, Recent, Share, Spend, UserName } from "./user-cells.tsx";
import { roleLook, statusLook } from "./user-rules.ts";
import type { UserSource } from "./users.api.ts";

type UserColumnDeps = {
  readonly t: T;
  /** The list that is shown: the administrators' (`list`), or root's with consumption (`query`). */
  readonly source: UserSource;
  readonly onOpen: (open: string) => void;
};

type UserColumn = Column<AdminUser>;

export function userColumns(deps: UserColumnDeps): readonly UserColumn[] {
  const { t, source } = deps;
  const [group, ...states] = stateColumns(deps);
  const [quota, ...figures] = figureColumns(t);
  const rest = [...figures, group];
  // The most important columns of each list come first, so that they are visible without scrolling
  // sideways.
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
      rank: 1,
      width: 160,
      grow: 1,
      card: "title",
      brief: (row) => <bdi>{row.username}</bdi>,
      csv: (row) => row.username,
      cell: (row) => <UserName row={row} onOpen={() => onOpen(String(row.id))} />,
    },
    {
      id: "id",
      title: t("users.id"),
      rank: 4,
      width: 52,
      align: "right",
      csv: (row) => String(row.id),
      cell: (row) => <Muted>{row.id}</Muted>,
    },
  ];
}

function stateColumns({ t, source }: UserColumnDeps): readonly [UserColumn, ...UserColumn[]] {
  return [
    {
      id: "group",
      title: t("users.group"),
      rank: 3,
      width: 84,
      card: "fact",
      brief: (row) => row.group,
      csv: (row) => row.group,
      cell: (row) => <CutText max={140}>{row.group}</CutText>,
    },
    {
      id: "role",
      title: t("users.role"),
      // In the list with consumption, the columns of consumption are more important than this one.
      rank: source === "list" ? 2 : 3,
      width: 88,
      card: "lead",
      csv: (row) => t(roleLook[row.role].label),
      cell: (row) => <Badge tone={roleLook[row.role].tone}>{t(roleLook[row.role].label)}</Badge>,
    },
    {
      id: "status",
      title: t("users.status"),
      rank: 1,
      width: 76,
      card: "lead",
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
      rank: 1,
      width: 140,
      card: "fact",
      brief: (row) => (
        <>
          <QuotaText quota={row.quota} />
          {" / "}
          <QuotaText quota={row.used_quota} />
        </>
      ),
      csv: (row) => `${row.quota} / ${row.used_quota}`,
      cell: (row) => <Spend row={row} />,
    },
    {
      id: "request_count",
      title: t("users.calls"),
      rank: 4,
      width: 60,
      align: "right",
      csv: (row) => String(row.request_count),
      cell: (row) => row.request_count.toLocaleString("en-US"),
    },
    {
      id: "aff_count",
      title: t("users.invitations"),
      rank: 5,
      width: 72,
      align: "right",
      csv: (row) => `${row.aff_count} / ${row.aff_history_quota}`,
      cell: (row) => <Invitations row={row} />,
    },
  ];
}

/** Makes one column for the consumption of three periods. */
function recentColumn(t: T): UserColumn {
  return {
    id: "recent",
    title: t("users.recent"),
    rank: 3,
    width: 120,
    align: "right",
    csv: (row) => `${row.one_day} / ${row.one_week} / ${row.one_month}`,
    cell: (row) => <Recent row={row} />,
  };
}

/** Makes one column per period, with the user's share of all users' consumption. */
function windowColumns(t: T): readonly UserColumn[] {
  return [
    {
      id: "one_day",
      title: t("users.oneDay"),
      rank: 2,
      width: 96,
      align: "right",
      csv: (row) => `${row.one_day} / ${row.one_day_ratio}`,
      cell: (row) => <Share quota={row.one_day} ratio={row.one_day_ratio} />,
    },
    {
      id: "one_week",
      title: t("users.oneWeek"),
      rank: 3,
      width: 96,
      align: "right",
      csv: (row) => `${row.one_week} / ${row.one_week_ratio}`,
      cell: (row) => <Share quota={row.one_week} ratio={row.one_week_ratio} />,
    },
    {
      id: "one_month",
      title: t("users.oneMonth"),
      rank: 3,
      width: 96,
      align: "right",
      csv: (row) => `${row.one_month} / ${row.one_month_ratio}`,
      cell: (row) => <Share quota={row.one_month} ratio={row.one_month_ratio} />,
    },
  ];
}

function lastUseColumn(t: T): UserColumn {
  return {
    id: "last_use_time",
    title: t("users.lastUse"),
    rank: 3,
    width: 88,
    card: "fact",
    brief: (row) => row.last_use_time > 0 && <TimeCell seconds={row.last_use_time} />,
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
    rank: 5,
    width: 88,
    csv: (row) => showTime(row.create_time, ""),
    cell: (row) => <TimeCell seconds={row.create_time} />,
  };
}
