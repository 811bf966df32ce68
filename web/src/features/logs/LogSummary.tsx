import type { LogStat } from "@tollgate/contract/logs.ts";
import type { ReactNode } from "react";
import { useT } from "#i18n/t.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Tip } from "#ui/table/cells/TipArea.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";

/**
 * Shows sums over all rows that match the filters, not only those of the shown page.
 *
 * @param props.isOfAllSources whether the list is filtered by the source of usage, by which nothing
 * is summed
 */
export function LogSummary(props: {
  readonly stat: LogStat | undefined;
  readonly isOfAllSources: boolean;
}) {
  const { stat, isOfAllSources } = props;
  const t = useT();
  return (
    <div className="flex flex-wrap items-baseline gap-x-6 gap-y-1 text-sm">
      <dl className="flex flex-wrap items-baseline gap-x-6 gap-y-1">
        <Figure label={t("logs.sumQuota")} tip={t("logs.sumQuotaTip")}>
          {stat && <QuotaText quota={stat.quota} />}
        </Figure>
        <Figure label={t("logs.rpm")} tip={t("logs.rpmTip")}>
          {stat?.rpm.toLocaleString("en-US")}
        </Figure>
        <Figure label={t("logs.tpm")} tip={t("logs.tpmTip")}>
          {stat?.tpm.toLocaleString("en-US")}
        </Figure>
      </dl>
      {isOfAllSources && <Muted>{t("logs.sumAllSources")}</Muted>}
    </div>
  );
}

function Figure(props: { label: string; tip: string; children: ReactNode }) {
  return (
    <div className="inline-flex items-baseline gap-1.5">
      <dt>
        <Tip text={props.tip}>
          <Muted>{props.label}</Muted>
        </Tip>
      </dt>
      <dd className="font-medium tabular-nums">{props.children ?? "–"}</dd>
    </div>
  );
}
