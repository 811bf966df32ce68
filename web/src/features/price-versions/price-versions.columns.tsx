import type { PriceVersion } from "@tollgate/contract/endpoints/price-versions.ts";
import { showTime } from "#display/time.ts";
import type { T } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import type { Column } from "#ui/table/column.ts";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";

/** Makes the columns of the list of versions: number, time, who, what and why. */
export function versionColumns(t: T): readonly Column<PriceVersion>[] {
  return [
    {
      id: "id",
      title: t("priceVersions.number"),
      rank: 1,
      width: 150,
      card: "title",
      cell: (row) => (
        <span className="flex items-center gap-2 whitespace-nowrap tabular-nums">
          #{row.id} <StateBadge row={row} t={t} />
        </span>
      ),
      csv: ({ id }) => String(id),
    },
    {
      id: "created_at",
      title: t("priceVersions.time"),
      rank: 1,
      width: 150,
      card: "lead",
      brief: ({ created_at }) => <TimeCell seconds={created_at} />,
      cell: ({ created_at }) => (
        <span className="whitespace-nowrap tabular-nums">{showTime(created_at, "–")}</span>
      ),
      csv: ({ created_at }) => showTime(created_at, ""),
    },
    {
      id: "who",
      title: t("priceVersions.who"),
      rank: 2,
      width: 130,
      card: "fact",
      cell: (row) =>
        row.created_by === 0 ? (
          <Muted>
            {row.before_id === 0 ? t("priceVersions.setUp") : t("priceVersions.byItself")}
          </Muted>
        ) : (
          <bdi>{nameOf(row)}</bdi>
        ),
      csv: (row) => (row.created_by === 0 ? "" : nameOf(row)),
    },
    {
      id: "what",
      title: t("priceVersions.what"),
      rank: 2,
      width: 170,
      card: "fact",
      cell: (row) => whatOf(row, t),
      csv: ({ changed_models }) => String(changed_models),
    },
    {
      id: "reason",
      title: t("priceVersions.why"),
      rank: 3,
      width: 180,
      grow: 1,
      card: "fact",
      brief: ({ reason }) => (reason === "" ? null : reason),
      cell: ({ reason }) => (reason === "" ? <Muted>–</Muted> : <CutText>{reason}</CutText>),
      csv: ({ reason }) => reason,
    },
  ];
}

function StateBadge({ row, t }: { readonly row: PriceVersion; readonly t: T }) {
  if (row.in_force) return <Badge tone="success">{t("priceVersions.inForce")}</Badge>;
  if (!row.readable) return <Badge tone="danger">{t("priceVersions.unreadable")}</Badge>;
  return null;
}

function nameOf({ created_by, created_by_name }: PriceVersion): string {
  return created_by_name === "" ? `#${created_by}` : created_by_name;
}

/** Says in few words what a version changed. */
function whatOf(row: PriceVersion, t: T) {
  if (!row.readable) return <Muted>–</Muted>;
  if (row.before_id === 0) return <Muted>{t("priceVersions.first")}</Muted>;
  const parts = [
    ...(row.changed_models > 0 ? [t("priceVersions.models", { count: row.changed_models })] : []),
    ...(row.changed_groups > 0 ? [t("priceVersions.groups", { count: row.changed_groups })] : []),
  ];
  return parts.length === 0 ? (
    <Muted>{t("priceVersions.others")}</Muted>
  ) : (
    parts.join(t("priceVersions.and"))
  );
}
