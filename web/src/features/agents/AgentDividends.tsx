import { percentText } from "@tollgate/contract/endpoints/agents.ts";
import { useT } from "#i18n/t.ts";
import { Link } from "#ui/controls/Link.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Skeleton } from "#ui/feedback/Skeleton.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { useDividendsOf } from "./agents.api.ts";
import { utcDay } from "./own-columns.tsx";

/** The newest dividends of a reseller, in the unfolded row of root's list. */
export function AgentDividends({ id }: { readonly id: number }) {
  const t = useT();
  const { data, error, refetch } = useDividendsOf(id);
  if (data === undefined) {
    if (error === null) return <Skeleton height={80} />;
    return <ErrorState error={error} onRetry={() => void refetch()} />;
  }
  if (data.items.length === 0) return <Muted>{t("agents.dividendsNone")}</Muted>;
  return (
    <section className="flex flex-col gap-1 text-sm">
      <h3 className="font-medium">{t("agents.dividends")}</h3>
      <ul className="flex flex-col gap-1 tabular-nums">
        {data.items.map((row) => (
          <li key={`${row.day} ${row.invitee_id}`} className="flex flex-wrap gap-x-4">
            <span>{utcDay(row.day)}</span>
            <Link to="/user" search={{ keyword: row.invitee }}>
              {row.invitee} #{row.invitee_id}
            </Link>
            <span>
              <QuotaText quota={row.base} /> × {percentText(row.rate_bp)} % ={" "}
              <QuotaText quota={row.dividend} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
