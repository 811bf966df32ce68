import type { Dashboard } from "@tollgate/contract/dashboard.ts";
import { logType } from "@tollgate/contract/logs.ts";
import { useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { FigureGrid } from "#ui/chart/FigureGrid.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { changeOf, showChange, showShare } from "./chart-values.ts";
import { type LogFilters, logLink } from "./log-links.ts";

/** The totals of the span, with their change against the span before. */
export function Figures(props: { readonly data: Dashboard; readonly whole: LogFilters }) {
  const { data, whole } = props;
  const { totals, before, rpm, tpm, first_byte: first } = data;
  const t = useT();
  const tokens = totals.prompt_tokens + totals.completion_tokens;
  const all = totals.calls + totals.failures;
  const count = (value: number): string => value.toLocaleString("en-US");
  return (
    <FigureGrid
      figures={[
        {
          name: t("dashboard.cost"),
          value: (
            <Link {...logLink(whole)} look="plain">
              <QuotaText quota={totals.quota} />
            </Link>
          ),
          note: <Change now={totals.quota} before={before.quota} />,
        },
        {
          name: t("dashboard.calls"),
          value: (
            <Link {...logLink(whole)} look="plain">
              {count(totals.calls)}
            </Link>
          ),
          note: <Change now={totals.calls} before={before.calls} />,
        },
        {
          name: t("dashboard.tokens"),
          value: count(tokens),
          note: <Change now={tokens} before={before.prompt_tokens + before.completion_tokens} />,
        },
        {
          name: t("dashboard.failed"),
          value: showShare(totals.failures, all),
          note: (
            <Link {...logLink({ ...whole, type: String(logType.enum.failure) })}>
              {t("dashboard.failedCalls", { count: totals.failures })}
            </Link>
          ),
        },
        {
          name: t("dashboard.rates"),
          value: `${count(rpm)} / ${count(tpm)}`,
          note: t("dashboard.ratesNote"),
        },
        {
          name: t("dashboard.firstByte"),
          value: first === null ? "–" : `${showMs(first.p50)} / ${showMs(first.p99)}`,
          note:
            first === null
              ? t("dashboard.firstByteNone")
              : t("dashboard.firstByteNote", { count: first.calls }),
        },
      ]}
    />
  );
}

function Change({ now, before }: { readonly now: number; readonly before: number }) {
  const t = useT();
  const change = changeOf(now, before);
  if (change === null) return t("dashboard.noBefore");
  return t("dashboard.change", { change: showChange(change) });
}

function showMs(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
