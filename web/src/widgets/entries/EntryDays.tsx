import type { Statement } from "@tollgate/contract/endpoints/entries.ts";
import { showDay } from "#display/time.ts";
import { useT } from "#i18n/t.ts";
import { Card } from "#ui/layout/Card.tsx";
import { Figure } from "#ui/chart/Figure.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";

/** The most days that are shown above a page. */
const daysMax = 7;

/** What the days of a page's entries add to the balance or take from it, each as a whole. */
export function EntryDays({ statement }: { readonly statement: Statement | undefined }) {
  const t = useT();
  const days = statement?.days.slice(0, daysMax) ?? [];
  if (days.length === 0) return null;
  return (
    <Card title={t("entries.days")}>
      <div className="flex flex-wrap gap-x-10 gap-y-3">
        {days.map(({ start, amount, count }) => (
          <Figure key={start} label={t("entries.day", { day: showDay(start), count })}>
            {amount > 0 && "+"}
            <QuotaText quota={amount} inFull />
          </Figure>
        ))}
      </div>
    </Card>
  );
}
