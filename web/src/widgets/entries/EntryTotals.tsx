import type { Statement } from "@tollgate/contract/endpoints/entries.ts";
import { useT } from "#i18n/t.ts";
import { Card } from "#ui/layout/Card.tsx";
import { Figure } from "#ui/chart/Figure.tsx";
import { entryKinds } from "#widgets/money/entry-look.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";

/** What the balance is made of: the sums of its entries by kind, which add up to it. */
export function EntryTotals({ statement }: { readonly statement: Statement | undefined }) {
  const t = useT();
  if (statement === undefined || statement.total === 0) return null;
  const { balance, calls, totals } = statement;
  return (
    <Card title={t("entries.totals")}>
      <div className="flex flex-wrap gap-x-10 gap-y-3">
        {totals.map(({ kind, amount }) => (
          <Figure key={kind} label={t(entryKinds[kind])}>
            <QuotaText quota={amount} inFull />
          </Figure>
        ))}
        {calls !== 0 && (
          <Figure label={t("entries.calls")}>
            <QuotaText quota={calls} inFull />
          </Figure>
        )}
        <Figure label={t("entries.balanceNow")}>
          <QuotaText quota={balance} inFull />
        </Figure>
      </div>
    </Card>
  );
}
