import type { AuditRow } from "@tollgate/contract/endpoints/audit.ts";
import type { ReactNode } from "react";
import { showTime, showTimeExactly } from "#display/time.ts";
import type { T } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import type { Column } from "#ui/table/column.ts";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { Tip } from "#ui/table/cells/TipArea.tsx";
import { actionName } from "./audit-actions.ts";
import type { AuditSearch } from "./audit.search.ts";

type AuditColumnDeps = {
  readonly t: T;
  readonly onFilter: (patch: Partial<AuditSearch>) => void;
};

type AuditColumn = Column<AuditRow>;

/**
 * Makes the columns of the audit log: time, actor, action, target, and the actor's network address.
 */
export function auditColumns(deps: AuditColumnDeps): readonly AuditColumn[] {
  const { t } = deps;
  return [
    {
      id: "created_at",
      title: t("audit.time"),
      rank: 2,
      width: 168,
      card: "fact",
      brief: (row) => showTime(row.created_at, "–"),
      csv: (row) => showTime(row.created_at, ""),
      cell: (row) => (
        <Tip text={showTimeExactly(row.created_at)}>
          <time
            className="whitespace-nowrap tabular-nums"
            dateTime={new Date(row.created_at * 1_000).toISOString()}
          >
            {showTime(row.created_at, "–")}
          </time>
        </Tip>
      ),
    },
    actorColumn(deps),
    actionColumn(deps),
    targetColumn(deps),
    {
      id: "client_ip",
      title: t("audit.address"),
      rank: 3,
      width: 140,
      csv: (row) => row.client_ip,
      cell: (row) =>
        row.client_ip === "" ? (
          <Muted>–</Muted>
        ) : (
          <CutText mono max={220}>
            {row.client_ip}
          </CutText>
        ),
    },
    {
      id: "intact",
      title: t("audit.chain"),
      rank: 1,
      width: 88,
      card: "lead",
      brief: (row) => (row.intact ? null : <Badge tone="danger">{t("audit.rowBroken")}</Badge>),
      csv: (row) => String(row.intact),
      cell: (row) =>
        row.intact ? (
          <Badge tone="success">{t("audit.rowIntact")}</Badge>
        ) : (
          <Badge tone="danger">{t("audit.rowBroken")}</Badge>
        ),
    },
  ];
}

function actorColumn({ t, onFilter }: AuditColumnDeps): AuditColumn {
  return {
    id: "actor",
    title: t("audit.actor"),
    rank: 2,
    width: 120,
    grow: 2,
    card: "fact",
    brief: (row) => <bdi>{row.actor_id === 0 ? t("audit.actorNobody") : row.actor_name}</bdi>,
    csv: (row) => (row.actor_id === 0 ? "" : `${row.actor_id} ${row.actor_name}`),
    cell: ({ actor_id: id, actor_name: name }) =>
      id === 0 ? (
        <Muted>{t("audit.actorNobody")}</Muted>
      ) : (
        <Value
          title={t("audit.onlyThis", { value: name })}
          onSelect={() => onFilter({ actor: String(id) })}
        >
          {name} <Muted>#{id}</Muted>
        </Value>
      ),
  };
}

function actionColumn({ t, onFilter }: AuditColumnDeps): AuditColumn {
  return {
    id: "action",
    title: t("audit.action"),
    rank: 1,
    width: 200,
    grow: 3,
    card: "title",
    brief: ({ action }) => actionName(action, t) ?? action,
    csv: (row) => row.action,
    cell: ({ action }) => {
      const name = actionName(action, t);
      return (
        <Value
          title={t("audit.onlyThis", { value: name ?? action })}
          onSelect={() => onFilter({ action })}
        >
          {name !== null && <span>{name} </span>}
          <code className="font-mono text-xs">
            {name === null ? action : <Muted>{action}</Muted>}
          </code>
        </Value>
      );
    },
  };
}

function targetColumn({ t, onFilter }: AuditColumnDeps): AuditColumn {
  return {
    id: "target",
    title: t("audit.target"),
    rank: 2,
    width: 130,
    grow: 2,
    card: "fact",
    brief: ({ target, target_name: name }) => <bdi>{name === "" ? target : name}</bdi>,
    csv: (row) => row.target,
    cell: ({ target, target_name: name }) => (
      <Value
        title={t("audit.onlyThis", { value: name === "" ? target : `${name} (${target})` })}
        onSelect={() => onFilter({ target })}
      >
        {name !== "" && <span>{name} </span>}
        <code className="font-mono text-xs">{name === "" ? target : <Muted>{target}</Muted>}</code>
      </Value>
    ),
  };
}

/** A value that is also a button: a click filters the list by it. */
function Value(props: {
  readonly title: string;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      dir="auto"
      className="block max-w-full cursor-pointer truncate text-left underline-offset-3 hover:underline max-md:min-h-8 max-md:min-w-8"
      title={props.title}
      onClick={props.onSelect}
    >
      {props.children}
    </button>
  );
}
