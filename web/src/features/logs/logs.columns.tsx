/** The columns of the log. Which of them a user sees depends on the role. */

import { logType } from "@tollgate/contract/endpoints/logs.ts";
import { Radio } from "lucide-react";
import { showTime, showTimeExactly } from "#display/time.ts";
import type { T } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { LiveDot } from "#ui/feedback/LiveDot.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import type { Column } from "#ui/table/column.ts";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { MiddleText } from "#ui/table/cells/MiddleText.tsx";
import { Tip } from "#ui/table/cells/TipArea.tsx";
import { ModelBadge } from "#widgets/models/ModelBadge.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { UserLink } from "#widgets/people/UserLink.tsx";
import { FilterValue } from "./FilterValue.tsx";
import { describeLog, describeShort, sayContent } from "./describe-log.ts";
import { firstByteMs, firstByteTone, durationTone, type LogView } from "./log-view.ts";
import { DetailsCell, None, Reason, TwoLines } from "./log-cells.tsx";
import { isCall, typeName, typeTone } from "./log-type.ts";
import { briefTime, shortTime } from "./log-times.ts";
import { RetryPath } from "./RetryPath.tsx";
import type { LogSearch } from "./logs.search.ts";

type LogColumnDeps = {
  readonly t: T;
  /**
   * Whether the viewer is an admin, who sees the rows of all users, with their users and channels.
   */
  readonly isAdmin: boolean;
  /** Whether the viewer is root, who also sees which other channels were tried. */
  readonly isRoot: boolean;
  readonly onFilter: (patch: Partial<LogSearch>) => void;
  readonly onUser: (userId: number) => void;
};

type LogColumn = Column<LogView>;

export function logColumns(deps: LogColumnDeps): readonly LogColumn[] {
  const { t, isAdmin, isRoot } = deps;
  return [
    timeColumn(t),
    ...(isAdmin ? [channelColumn(deps), userColumn(deps)] : []),
    tokenColumn(deps),
    typeColumn(deps),
    modelColumn(deps),
    durationColumn(t),
    ...tokenCountColumns(t),
    chargeColumn(t),
    ...(isRoot ? [retryColumn(t)] : []),
    clientColumn(t, isAdmin),
    detailsColumn(t),
  ];
}

function timeColumn(t: T): LogColumn {
  return {
    id: "created_at",
    title: t("logs.time"),
    rank: 2,
    width: 108,
    card: "fact",
    brief: (row) => briefTime(row.created_at),
    csv: (row) => showTime(row.created_at, ""),
    cell: (row) => (
      <span className="relative whitespace-nowrap tabular-nums">
        {row.isNew && (
          // The mark of a new row stands beside the text, outside of it, so that it does not widen
          // the column.
          <span className="absolute top-1/2 -left-2.5 flex -translate-y-1/2">
            <LiveDot tone="accent" still />
            <span className="sr-only">{t("logs.new")}</span>
          </span>
        )}
        <Tip text={showTimeExactly(row.created_at)}>
          <time dateTime={new Date(row.created_at * 1_000).toISOString()}>
            {shortTime(row.created_at)}
          </time>
        </Tip>
      </span>
    ),
  };
}

/**
 * Makes the column with the channel that answered or was the last to fail. Root also sees the
 * channels that were tried before it.
 */
function channelColumn({ t, isRoot, onFilter }: LogColumnDeps): LogColumn {
  return {
    id: "channel",
    title: isRoot ? t("logs.channelAndRetries") : t("logs.channel"),
    rank: 4,
    width: 84,
    has: ({ channel }) => channel !== 0,
    csv: (row) => (row.channel === 0 ? "" : `${row.channel} ${row.channel_name}`.trim()),
    cell: ({ channel, channel_name: name, details }) => {
      if (channel === 0) return <None />;
      const tried = details.admin_info?.use_channel ?? [];
      const filter = (
        <FilterValue
          value={String(channel)}
          label={`#${channel}`}
          onSelect={() => onFilter({ channel: String(channel) })}
        />
      );
      return (
        <TwoLines
          below={name === "" ? t("logs.channelGone") : name}
          above={tried.length < 2 ? filter : <RetryPath channels={tried} last={filter} />}
        />
      );
    },
  };
}

function userColumn({ t, onUser }: LogColumnDeps): LogColumn {
  return {
    id: "username",
    title: t("logs.userAndIp"),
    rank: 3,
    width: 100,
    grow: 1,
    card: "fact",
    brief: (row) => (row.username === "" ? null : <bdi>{row.username}</bdi>),
    has: ({ username }) => username !== "",
    csv: (row) => row.username,
    cell: ({ user_id, username, details }) =>
      username === "" ? (
        <None />
      ) : (
        <TwoLines
          above={<UserLink name={username} onOpen={() => onUser(user_id)} />}
          below={details.client_ip ?? ""}
        />
      ),
  };
}

function tokenColumn({ t, onFilter }: LogColumnDeps): LogColumn {
  return {
    id: "token_name",
    title: t("logs.tokenAndGroup"),
    rank: 3,
    width: 110,
    grow: 1,
    card: "fact",
    brief: (row) => (row.token_name === "" ? null : <bdi>{row.token_name}</bdi>),
    has: ({ token_name: token, group }) => token !== "" || group !== "",
    csv: (row) => `${row.token_name} / ${row.group}`,
    cell: ({ token_name: token, group }) =>
      token === "" && group === "" ? (
        <None />
      ) : (
        <span className="flex min-w-0 flex-col items-start leading-tight">
          {token !== "" && (
            <FilterValue value={token} onSelect={() => onFilter({ token_name: token })} />
          )}
          {group !== "" && (
            <span className="max-w-full text-xs">
              <Muted>
                <FilterValue value={group} onSelect={() => onFilter({ group })} />
              </Muted>
            </span>
          )}
        </span>
      ),
  };
}

function typeColumn({ t }: LogColumnDeps): LogColumn {
  return {
    id: "type",
    title: t("logs.type"),
    rank: 1,
    width: 68,
    card: "lead",
    // Charged calls have no badge, because nearly all rows are charged calls.
    brief: ({ type }) =>
      type === logType.enum.consumption ? null : (
        <Badge tone={typeTone(type)}>{typeName(type, t)}</Badge>
      ),
    csv: (row) => typeName(row.type, t),
    cell: ({ type }) => <Badge tone={typeTone(type)}>{typeName(type, t)}</Badge>,
  };
}

function modelColumn({ t, onFilter }: LogColumnDeps): LogColumn {
  return {
    id: "model_name",
    title: t("logs.model"),
    rank: 1,
    width: 160,
    grow: 3,
    card: "title",
    brief: ({ model_name: model, content }) =>
      model === "" ? sayContent(content, t) : <MiddleText>{model}</MiddleText>,
    has: ({ model_name: model }) => model !== "",
    csv: (row) => row.model_name,
    cell: (row) => {
      const { model_name: model, details } = row;
      return model === "" ? (
        <CutText max={400} tip={describeLog(row, t)}>
          {describeShort(row, t) || "–"}
        </CutText>
      ) : (
        <span className="flex min-w-0 flex-col">
          <ModelBadge
            model={model}
            upstream={details.upstream_model_name}
            effort={details.reasoning_effort}
          >
            <FilterValue
              value={model}
              at="middle"
              onSelect={() => onFilter({ model_name: model })}
            />
          </ModelBadge>
          {row.type === logType.enum.failure && <Reason row={row} t={t} />}
        </span>
      );
    },
  };
}

/**
 * Makes the column with the call's duration, the time to the first byte of a streamed answer, and
 * whether it was streamed.
 */
function durationColumn(t: T): LogColumn {
  return {
    id: "use_time",
    title: t("logs.duration"),
    rank: 3,
    width: 124,
    card: "fact",
    brief: (row) => (isCall(row) ? showDuration(row.use_time * 1_000, t) : null),
    has: isCall,
    csv: (row) => {
      const first = firstByteMs(row);
      return first === undefined ? `${row.use_time}` : `${row.use_time} / ${first / 1_000}`;
    },
    cell: (row) => {
      if (!isCall(row)) return <None />;
      const first = firstByteMs(row);
      return (
        <span className="inline-flex items-center gap-1 tabular-nums">
          <Badge tone={durationTone(row.use_time)}>{showDuration(row.use_time * 1_000, t)}</Badge>
          {first !== undefined && (
            <Tip text={t("logs.firstByteTip")}>
              <Badge tone={firstByteTone(first)}>{showDuration(first, t)}</Badge>
            </Tip>
          )}
          {row.is_stream && (
            <Tip text={t("logs.stream")}>
              <Muted>
                <Radio size={14} role="img" aria-label={t("logs.stream")} />
              </Muted>
            </Tip>
          )}
        </span>
      );
    },
  };
}

/**
 * Writes a duration as text. Durations are logged in whole seconds, so 0 is shown as `<1 s`; times
 * to the first byte are in milliseconds.
 */
function showDuration(ms: number, t: T): string {
  if (ms === 0) return t("logs.belowSecond");
  if (ms < 1_000) return t("logs.milliseconds", { ms });
  const seconds = ms / 1_000;
  const digits = Number.isInteger(seconds) || seconds >= 100 ? 0 : 1;
  return t("logs.seconds", { seconds: seconds.toFixed(digits) });
}

function tokenCountColumns(t: T): readonly LogColumn[] {
  const count = (value: number): string => value.toLocaleString("en-US");
  return [
    {
      id: "prompt_tokens",
      title: t("logs.input"),
      rank: 2,
      width: 76,
      align: "right",
      card: "fact",
      brief: (row) =>
        isCall(row) ? `${count(row.prompt_tokens)}→${count(row.completion_tokens)}` : null,
      has: isCall,
      csv: (row) => String(row.prompt_tokens),
      cell: (row) => {
        if (!isCall(row)) return <None />;
        const cached = row.details.cache_tokens ?? 0;
        return (
          <span className="flex flex-col items-end leading-tight tabular-nums">
            {count(row.prompt_tokens)}
            {cached > 0 && (
              <span className="text-xs whitespace-nowrap">
                <Muted>{t("logs.cached", { tokens: count(cached) })}</Muted>
              </span>
            )}
          </span>
        );
      },
    },
    {
      id: "completion_tokens",
      title: t("logs.output"),
      rank: 2,
      width: 70,
      align: "right",
      has: isCall,
      csv: (row) => String(row.completion_tokens),
      cell: (row) => (isCall(row) ? count(row.completion_tokens) : <None />),
    },
  ];
}

function chargeColumn(t: T): LogColumn {
  return {
    id: "quota",
    title: t("logs.charge"),
    sort: true,
    rank: 1,
    width: 92,
    align: "right",
    card: "lead",
    has: ({ type, quota }) => type === logType.enum.consumption || quota !== 0,
    csv: (row) => String(row.quota - row.refunded),
    cell: (row) => {
      if (row.reversed || row.refunded > 0) {
        return (
          <span className="inline-flex flex-wrap items-center gap-1.5">
            <s>
              <QuotaText quota={row.quota} />
            </s>
            <Badge tone="success">{row.reversed ? t("logs.reversed") : t("logs.refunded")}</Badge>
          </span>
        );
      }
      if (row.type === logType.enum.consumption) return <QuotaText quota={row.quota} />;
      if (row.quota === 0) return <None />;
      // The quota of a top-up is an addition to the balance, so it gets a plus sign.
      return (
        <Muted>
          {row.quota > 0 && "+"}
          <QuotaText quota={row.quota} />
        </Muted>
      );
    },
  };
}

/** Makes the column of tried channels, which is hidden: the channel column shows them as well. */
function retryColumn(t: T): LogColumn {
  return {
    id: "retries",
    title: t("logs.retries"),
    rank: 5,
    width: 64,
    hidden: true,
    has: ({ details }) => (details.admin_info?.use_channel ?? []).length > 0,
    csv: (row) => (row.details.admin_info?.use_channel ?? []).join(" > "),
    cell: ({ details }) => <RetryPath channels={details.admin_info?.use_channel ?? []} />,
  };
}

/** Makes the column of the client's address. Admins see the address below the user's name. */
function clientColumn(t: T, hidden: boolean): LogColumn {
  return {
    hidden,
    id: "client_ip",
    title: t("logs.clientIp"),
    rank: 5,
    width: 112,
    has: ({ details }) => (details.client_ip ?? "") !== "",
    csv: (row) => row.details.client_ip ?? "",
    cell: ({ details: { client_ip: address = "" } }) =>
      address === "" ? <None /> : <CutText mono>{address}</CutText>,
  };
}

function detailsColumn(t: T): LogColumn {
  return {
    id: "content",
    title: t("logs.details"),
    rank: 5,
    width: 100,
    grow: 4,
    isInExpanded: true,
    csv: (row) => row.content,
    cell: (row) => <DetailsCell row={row} t={t} />,
  };
}
