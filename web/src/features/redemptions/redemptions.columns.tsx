/** The columns of the list of redemption codes. */

import type { Redemption } from "@tollgate/contract/endpoints/redemptions.ts";
import { showTime } from "#display/time.ts";
import type { T } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Link } from "#ui/controls/Link.tsx";
import type { Column } from "#ui/table/column.ts";
import { CopyCell } from "#ui/table/cells/CopyCell.tsx";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";
import type { Tone } from "#ui/tone.ts";
import { timeColumn } from "#widgets/columns/common-columns.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { maskCode, type RedemptionState, redemptionState } from "./redemption-form.ts";

type RedemptionColumn = Column<Redemption>;

const tones: Readonly<Record<RedemptionState, Tone>> = {
  disabled: "neutral",
  expired: "warning",
  unused: "success",
  used: "info",
};

function stateText(state: RedemptionState, t: T): string {
  switch (state) {
    case "disabled":
      return t("redemptions.statusDisabled");
    case "expired":
      return t("redemptions.statusExpired");
    case "unused":
      return t("redemptions.statusUnused");
    case "used":
      return t("redemptions.statusUsed");
  }
}

export function redemptionColumns(t: T): readonly RedemptionColumn[] {
  return [
    {
      id: "id",
      title: t("redemptions.id"),
      rank: 4,
      width: 64,
      csv: (row) => String(row.id),
      cell: (row) => <span className="tabular-nums">{row.id}</span>,
    },
    {
      id: "name",
      title: t("redemptions.name"),
      rank: 1,
      width: 130,
      grow: 1,
      card: "title",
      csv: (row) => row.name,
      cell: (row) => <CutText>{row.name}</CutText>,
    },
    {
      id: "key",
      title: t("redemptions.code"),
      rank: 2,
      width: 150,
      card: "fact",
      brief: (row) => <span className="font-mono">{maskCode(row.key)}</span>,
      csv: (row) => row.key,
      cell: (row) => (
        <CopyCell
          text={maskCode(row.key)}
          read={async () => row.key}
          label={t("redemptions.codeOf", { name: row.name })}
        />
      ),
    },
    {
      id: "status",
      title: t("redemptions.status"),
      rank: 1,
      width: 96,
      card: "lead",
      csv: (row) => stateText(stateOf(row), t),
      cell: (row) => <Badge tone={tones[stateOf(row)]}>{stateText(stateOf(row), t)}</Badge>,
    },
    {
      id: "quota",
      title: t("redemptions.quota"),
      rank: 1,
      width: 96,
      align: "right",
      card: "fact",
      csv: (row) => String(row.quota),
      cell: (row) => <QuotaText quota={row.quota} />,
    },
    userColumn(t),
    ...ruleColumns(t),
    ...timeColumns(t),
  ];
}

function userColumn(t: T): RedemptionColumn {
  return {
    id: "used_username",
    title: t("redemptions.usedBy"),
    rank: 2,
    width: 120,
    grow: 1,
    card: "fact",
    brief: (row) => row.used_user_id !== 0 && row.used_username,
    csv: (row) => (row.used_user_id === 0 ? "" : `${row.used_user_id} ${row.used_username}`),
    cell: (row) =>
      row.used_user_id === 0 ? (
        <Muted>–</Muted>
      ) : (
        <Link to="/user" search={{ keyword: row.used_username }}>
          {row.used_username} #{row.used_user_id}
        </Link>
      ),
  };
}

function ruleColumns(t: T): readonly RedemptionColumn[] {
  return [
    {
      id: "group",
      title: t("redemptions.group"),
      rank: 4,
      width: 92,
      csv: (row) => row.group,
      cell: (row) =>
        row.group === "" ? (
          <Muted>{t("redemptions.groupAny")}</Muted>
        ) : (
          <CutText>{row.group}</CutText>
        ),
    },
    {
      id: "user_limit",
      title: t("redemptions.userLimit"),
      rank: 5,
      width: 92,
      align: "right",
      hidden: true,
      csv: (row) => String(row.user_limit),
      cell: (row) =>
        row.user_limit === 0 ? <Muted>{t("redemptions.noLimit")}</Muted> : <>{row.user_limit}</>,
    },
  ];
}

function timeColumns(t: T): readonly RedemptionColumn[] {
  const time = (seconds: number, none: string) =>
    seconds === 0 ? <Muted>{none}</Muted> : <TimeCell seconds={seconds} />;
  return [
    {
      id: "redeemed_time",
      title: t("redemptions.redeemedAt"),
      rank: 3,
      width: 100,
      csv: (row) => (row.redeemed_time === 0 ? "" : showTime(row.redeemed_time, "")),
      cell: (row) => time(row.redeemed_time, "–"),
    },
    {
      id: "expired_time",
      title: t("redemptions.expiry"),
      rank: 4,
      width: 92,
      csv: (row) => (row.expired_time === 0 ? "" : showTime(row.expired_time, "")),
      cell: (row) => time(row.expired_time, t("redemptions.never")),
    },
    timeColumn(
      { id: "created_time", title: t("redemptions.created"), rank: 5, width: 92 },
      (row) => row.created_time,
    ),
  ];
}

function stateOf(row: Redemption): RedemptionState {
  return redemptionState(row, Math.floor(Date.now() / 1_000));
}
