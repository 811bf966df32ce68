import type { Dashboard } from "@tollgate/contract/endpoints/dashboard.ts";
import { logType } from "@tollgate/contract/endpoints/logs.ts";
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
          value: first === null ? "–" : showTimes(first),
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

/**
 * Returns both times with their unit, or with one if they share it. Where a phone has no room for
 * both in a line, it can break only behind the slash: the other spaces are non-breaking ones.
 */
function showTimes({ p50, p99 }: { readonly p50: number; readonly p99: number }): string {
  const [first, last] = [timeOf(p50), timeOf(p99)];
  const unit = first.unit === last.unit ? "" : `\u00a0${first.unit}`;
  return `${first.number}${unit}\u00a0/ ${last.number}\u00a0${last.unit}`;
}

function timeOf(ms: number): { readonly number: string; readonly unit: string } {
  if (ms < 1_000) return { number: String(ms), unit: "ms" };
  return { number: (ms / 1_000).toFixed(1), unit: "s" };
}
