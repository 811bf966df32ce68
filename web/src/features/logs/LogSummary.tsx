import type { LogStat } from "@tollgate/contract/endpoints/logs.ts";
import { ChartColumn } from "lucide-react";
import type { ReactNode } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Tip } from "#ui/table/cells/TipArea.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";

/** Shows sums over all rows that match the filters, not only those of the shown page. */
export function LogSummary(props: {
  readonly stat: LogStat | undefined;
  /** Shows the chart; absent: it is shown. */
  readonly onChart: (() => void) | undefined;
}) {
  const { stat, onChart } = props;
  const t = useT();
  return (
    <div className="flex flex-wrap items-center gap-x-6 gap-y-1">
      <Figures stat={stat} />
      {onChart !== undefined && (
        <Button size="sm" icon={<ChartColumn size={14} aria-hidden />} onClick={onChart}>
          {t("logs.showChart")}
        </Button>
      )}
    </div>
  );
}

function Figures({ stat }: { readonly stat: LogStat | undefined }) {
  const t = useT();
  return (
    <dl className="flex flex-wrap items-baseline gap-x-6 gap-y-1 text-sm">
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
