/** The columns of the running calls. Which of them a user sees depends on the role. */

import type { LiveCall } from "@tollgate/contract/endpoints/live.ts";
import type { T, TextKey } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import type { Column } from "#ui/table/column.ts";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { ModelBadge } from "#widgets/models/ModelBadge.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";

type LiveColumn = Column<LiveCall>;

export function liveColumns(t: T, isOperator: boolean): readonly LiveColumn[] {
  return [
    {
      id: "age_ms",
      title: t("live.age"),
      rank: 1,
      width: 76,
      align: "right",
      card: "lead",
      brief: (row) => sayAge(row.age_ms),
      cell: (row) => <span className="tabular-nums">{sayAge(row.age_ms)}</span>,
    },
    modelColumn(t),
    ...(isOperator ? [userColumn(t)] : []),
    {
      id: "token_name",
      title: t("live.token"),
      rank: 3,
      width: 96,
      grow: 1,
      has: ({ token_name }) => token_name !== "",
      cell: ({ token_name }) => <CutText>{token_name}</CutText>,
    },
    ...(isOperator ? [channelColumn(t), nodeColumn(t)] : []),
    stateColumn(t),
    ...outputColumns(t),
    {
      id: "quota",
      title: t("live.cost"),
      rank: 2,
      width: 92,
      align: "right",
      card: "fact",
      brief: (row) => <QuotaText quota={row.quota} />,
      cell: (row) => <QuotaText quota={row.quota} />,
    },
    {
      id: "held",
      title: t("live.held"),
      rank: 4,
      width: 92,
      align: "right",
      cell: (row) => <QuotaText quota={row.held} />,
    },
  ];
}

function modelColumn(t: T): LiveColumn {
  return {
    id: "model_name",
    title: t("live.model"),
    rank: 1,
    width: 150,
    grow: 2,
    card: "title",
    brief: (row) => <bdi>{row.model_name}</bdi>,
    cell: (row) => <ModelBadge model={row.model_name} />,
  };
}

function userColumn(t: T): LiveColumn {
  return {
    id: "username",
    title: t("live.user"),
    rank: 2,
    width: 90,
    grow: 1,
    card: "fact",
    brief: (row) => <bdi>{row.username}</bdi>,
    cell: ({ username }) => <CutText>{username}</CutText>,
  };
}

function channelColumn(t: T): LiveColumn {
  return {
    id: "channel",
    title: t("live.channel"),
    rank: 3,
    width: 110,
    grow: 1,
    has: ({ channel }) => channel !== 0,
    cell: ({ attempts, channel, channel_name: name, reason }) => {
      if (channel === 0) return <Muted>–</Muted>;
      const why = reasons[reason];
      return (
        <span className="flex min-w-0 flex-col leading-tight">
          <CutText>{name}</CutText>
          {why !== undefined && (
            <span className="truncate text-xs">
              <Muted>{t(why, { count: attempts })}</Muted>
            </span>
          )}
        </span>
      );
    },
  };
}

/** Why a call is at its channel, in words. */
const reasons: Readonly<Partial<Record<LiveCall["reason"], TextKey>>> = {
  issuer: "live.whyIssuer",
  only: "live.whyOnly",
  pinned: "live.whyPinned",
  priority: "live.whyPriority",
  retry: "live.whyRetry",
  weight: "live.whyWeight",
};

function nodeColumn(t: T): LiveColumn {
  return {
    id: "node",
    title: t("live.node"),
    rank: 5,
    width: 100,
    hidden: true,
    cell: ({ node }) => <CutText>{node}</CutText>,
  };
}

function stateColumn(t: T): LiveColumn {
  return {
    id: "state",
    title: t("live.state"),
    rank: 2,
    width: 92,
    card: "fact",
    brief: (row) => sayState(row, t),
    cell: (row) => <Badge tone={toneOf(row)}>{sayState(row, t)}</Badge>,
  };
}

function sayState({ client_gone, first_byte_ms, kind, stopping }: LiveCall, t: T): string {
  if (stopping) return t("live.stateStopping");
  if (client_gone) return t("live.stateGone");
  if (kind === "session") return t("live.stateSession");
  return first_byte_ms === null ? t("live.stateWaiting") : t("live.stateAnswering");
}

function toneOf({ client_gone, first_byte_ms, kind, stopping }: LiveCall) {
  if (stopping || client_gone) return "warning";
  return first_byte_ms === null && kind === "call" ? "neutral" : "success";
}

function outputColumns(t: T): LiveColumn[] {
  return [
    {
      id: "first_byte_ms",
      title: t("live.firstByte"),
      rank: 4,
      width: 84,
      align: "right",
      has: ({ first_byte_ms: ms }) => ms !== null,
      cell: ({ first_byte_ms: ms }) =>
        ms === null ? (
          <Muted>–</Muted>
        ) : (
          <span className="tabular-nums">{t("live.seconds", { count: seconds(ms) })}</span>
        ),
    },
    {
      id: "output_tokens",
      title: t("live.tokens"),
      rank: 3,
      width: 84,
      align: "right",
      cell: ({ output_tokens: tokens }) => (
        <span className="tabular-nums">{tokens.toLocaleString("en-US")}</span>
      ),
    },
    {
      id: "tokens_per_second",
      title: t("live.speed"),
      rank: 4,
      width: 76,
      align: "right",
      cell: ({ tokens_per_second: speed }) => (
        <span className="tabular-nums">{speed === 0 ? "–" : speed.toFixed(1)}</span>
      ),
    },
  ];
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

/** `4.2 s` is too restless for what changes each second: `0:04`, `12:30`, `1:02:03`. */
export function sayAge(ms: number): string {
  const all = Math.floor(ms / 1_000);
  const two = (part: number): string => String(part).padStart(2, "0");
  const minutes = Math.floor(all / 60) % 60;
  const hours = Math.floor(all / 3_600);
  const rest = `${two(all % 60)}`;
  return hours === 0 ? `${minutes}:${rest}` : `${hours}:${two(minutes)}:${rest}`;
}
