/** The columns of the log. Which of them a user sees depends on the role. */

import { logType } from "@tollgate/contract/endpoints/logs.ts";
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
import { describeLog, describeShort, sayContent } from "./describe-log.ts";
import type { LogView } from "./log-view.ts";
import {
  columnsOver,
  DetailsCell,
  FilterValue,
  None,
  Reason,
  Rerated,
  TwoLines,
} from "./log-cells.tsx";
import { typeName, typeTone } from "./log-type.ts";
import { briefTime, shortTime } from "#display/short-time.ts";
import { durationColumn, firstByteColumn, tokenCountColumns } from "./measure-columns.tsx";
import { RetryPath } from "./RetryPath.tsx";
import type { LogSearch } from "./logs.search.ts";

type LogColumnDeps = {
  readonly t: T;
  /** Whether the viewer is an admin, who sees all rows, with their users and channels. */
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
    firstByteColumn(t),
    ...tokenCountColumns(t),
    chargeColumn(t),
    ...(isRoot ? [retryColumn(t)] : []),
    tagsColumn(deps),
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
    over: columnsOver,
    csv: (row) => row.model_name,
    cell: (row) => {
      const { model_name: model, details } = row;
      return model === "" ? (
        <CutText tip={describeLog(row, t)}>{describeShort(row, t) || "–"}</CutText>
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
    csv: (row) => String(row.quota - row.refunded + row.rerated),
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
      if (row.rerated !== 0) return <Rerated row={row} />;
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

/** Makes the column of tags, which is hidden: few calls have any, and an unfolded row shows them. */
function tagsColumn({ t, onFilter }: LogColumnDeps): LogColumn {
  return {
    id: "tags",
    title: t("logs.tags"),
    rank: 4,
    hidden: true,
    width: 90,
    grow: 1,
    has: ({ tags }) => tags.length > 0,
    csv: (row) => row.tags.join(" "),
    cell: ({ tags }) =>
      tags.length === 0 ? (
        <None />
      ) : (
        <span className="flex min-w-0 flex-col items-start leading-tight">
          {tags.slice(0, shownTags).map((tag) => (
            <FilterValue key={tag} value={tag} onSelect={() => onFilter({ tag })} />
          ))}
          {tags.length > shownTags && <Muted>+{tags.length - shownTags}</Muted>}
        </span>
      ),
  };
}

/** How many tags of a row the list shows; its details have all. */
const shownTags = 2;

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
    cell: ({ details: { client_ip: ip = "" } }) =>
      ip === "" ? <None /> : <CutText mono>{ip}</CutText>,
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
