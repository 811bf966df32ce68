/** The columns of the calls that a key has made. */

import { logType, type OwnLog } from "@tollgate/contract/endpoints/logs.ts";
import type { T } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { MiddleText } from "#ui/table/cells/MiddleText.tsx";
import type { Column } from "#ui/table/column.ts";
import { timeColumn } from "#widgets/columns/common-columns.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";

export function keyLogColumns(t: T): readonly Column<OwnLog>[] {
  const count = (value: number): string => value.toLocaleString("en-US");
  return [
    timeColumn(
      { id: "created_at", title: t("keyQuery.time"), rank: 1, width: 100, card: "fact" },
      (row) => row.created_at,
    ),
    {
      id: "model_name",
      title: t("keyQuery.model"),
      rank: 1,
      width: 160,
      grow: 2,
      card: "title",
      csv: (row) => row.model_name,
      cell: (row) => <MiddleText>{row.model_name}</MiddleText>,
    },
    {
      id: "prompt_tokens",
      title: t("keyQuery.input"),
      rank: 2,
      width: 80,
      align: "right",
      card: "fact",
      brief: (row) => `${count(row.prompt_tokens)}→${count(row.completion_tokens)}`,
      csv: (row) => String(row.prompt_tokens),
      cell: (row) => count(row.prompt_tokens),
    },
    {
      id: "completion_tokens",
      title: t("keyQuery.output"),
      rank: 2,
      width: 80,
      align: "right",
      csv: (row) => String(row.completion_tokens),
      cell: (row) => count(row.completion_tokens),
    },
    {
      id: "quota",
      title: t("keyQuery.charge"),
      rank: 1,
      width: 100,
      align: "right",
      card: "lead",
      csv: (row) => String(row.reversed ? 0 : row.quota - row.refunded + row.rerated),
      cell: (row) => <Charge row={row} t={t} />,
    },
    {
      id: "request_id",
      title: t("keyQuery.requestId"),
      rank: 4,
      width: 120,
      grow: 1,
      csv: (row) => row.request_id,
      cell: (row) => <CutText mono>{row.request_id}</CutText>,
    },
  ];
}

/** The charge; of a call that failed or was given back, that it cost nothing. */
function Charge({ row, t }: { row: OwnLog; t: T }) {
  if (row.type === logType.enum.failure) return <Badge tone="danger">{t("keyQuery.failed")}</Badge>;
  if (row.reversed) return <Badge tone="success">{t("keyQuery.reversed")}</Badge>;
  if (row.refunded > 0) return <Badge tone="success">{t("keyQuery.refunded")}</Badge>;
  return <QuotaText quota={row.quota + row.rerated} />;
}
