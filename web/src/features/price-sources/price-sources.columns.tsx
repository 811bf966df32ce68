/** The columns of the list of price sources. */

import type { PriceSourceRow } from "@tollgate/contract/endpoints/price-sources.ts";
import { showTime } from "#display/time.ts";
import type { T } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { TimeCell } from "#ui/table/cells/TimeCell.tsx";
import type { Column } from "#ui/table/column.ts";
import { showMessage } from "#widgets/server/server-message.ts";
import { kindName } from "./source-texts.ts";

export function sourceColumns(t: T): readonly Column<PriceSourceRow>[] {
  return [
    {
      id: "name",
      title: t("priceSources.name"),
      rank: 1,
      width: 160,
      grow: 1,
      card: "title",
      cell: ({ name }) => <CutText>{name}</CutText>,
    },
    {
      id: "state",
      title: t("priceSources.state"),
      rank: 1,
      width: 150,
      card: "lead",
      cell: (row) => <State row={row} t={t} />,
    },
    {
      id: "kind",
      title: t("priceSources.kind"),
      rank: 2,
      width: 150,
      card: "fact",
      cell: ({ kind }) => kindName(kind, t),
    },
    {
      id: "synced",
      title: t("priceSources.synced"),
      rank: 2,
      width: 150,
      card: "fact",
      brief: ({ synced_at }) => (synced_at === 0 ? null : <TimeCell seconds={synced_at} />),
      cell: ({ synced_at }) => (
        <span className="whitespace-nowrap tabular-nums">
          {synced_at === 0 ? <Muted>{t("priceSources.never")}</Muted> : showTime(synced_at, "–")}
        </span>
      ),
    },
    {
      id: "next",
      title: t("priceSources.next"),
      rank: 3,
      width: 150,
      cell: ({ next_at }) => (
        <span className="whitespace-nowrap tabular-nums">
          {next_at === 0 ? <Muted>{t("priceSources.byHand")}</Muted> : showTime(next_at, "–")}
        </span>
      ),
    },
    {
      id: "error",
      title: t("priceSources.error"),
      rank: 4,
      width: 200,
      grow: 1,
      has: ({ error }) => error !== "",
      cell: ({ error }) =>
        error === "" ? <Muted>–</Muted> : <CutText>{showMessage(error, t)}</CutText>,
    },
  ];
}

function State({ row, t }: { readonly row: PriceSourceRow; readonly t: T }) {
  if (row.error !== "") return <Badge tone="danger">{t("priceSources.failed")}</Badge>;
  const waiting = row.draft?.waiting ?? 0;
  if (waiting > 0) {
    return <Badge tone="warning">{t("priceSources.waiting", { count: waiting })}</Badge>;
  }
  if (row.synced_at === 0) return <Muted>–</Muted>;
  return <Badge tone="success">{t("priceSources.upToDate")}</Badge>;
}
