import type { ChargedUsage } from "@tollgate/contract/money/charge.ts";
import type { ModelFactsRow } from "@tollgate/contract/endpoints/model-facts.ts";
import { statisticsCallsMin, statisticsDays } from "@tollgate/contract/endpoints/model-facts.ts";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { PlainTable } from "#ui/chart/PlainTable.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { costOf, type ModelPrice } from "#widgets/money/model-prices.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { factLines, type ModelLine, priceLines, statisticLines } from "./model-lines.ts";
import type { PricingSearch } from "./pricing.search.ts";

/** Up to four models side by side. */
export function CompareSheet(props: {
  readonly rows: readonly ModelPrice[];
  readonly facts: ReadonlyMap<string, ModelFactsRow>;
  readonly unit: PricingSearch["unit"];
  readonly usage: ChargedUsage;
  readonly onClear: () => void;
  readonly onClose: () => void;
}) {
  const { rows, facts, unit, usage } = props;
  const t = useT();
  const linesOf = (of: (row: ModelPrice) => readonly ModelLine[]) => {
    const columns = rows.map((row) => new Map(of(row).map(({ name, text }) => [name, text])));
    const names = new Set(columns.flatMap((column) => [...column.keys()]));
    return [...names].map((name) => ({
      name,
      cells: columns.map((column) => column.get(name) ?? "–"),
    }));
  };
  return (
    <Sheet
      open
      width="lg"
      title={t("pricing.compareTitle", { count: rows.length })}
      onClose={props.onClose}
      footer={
        <div className="flex w-full flex-wrap items-center justify-end gap-2">
          <Button onClick={props.onClear}>{t("pricing.compareClear")}</Button>
          <Button variant="primary" onClick={props.onClose}>
            {t("pricing.compareClose")}
          </Button>
        </div>
      }
    >
      <PlainTable
        compares
        label={t("pricing.compareTitle", { count: rows.length })}
        columns={[
          { key: "", title: t("pricing.model") },
          ...rows.map(({ model }) => ({ key: model, title: model })),
        ]}
        rows={[
          ...linesOf((row) => factLines(facts.get(row.model)?.facts, t)),
          ...linesOf((row) =>
            row.isCallable ? priceLines(row, unit, facts.get(row.model)?.facts, t) : [],
          ),
          {
            name: t("pricing.exampleCost"),
            cells: rows.map((row) => {
              const cost = row.isCallable ? costOf(row, usage) : null;
              return cost === null ? "–" : <QuotaText key={row.model} quota={cost} />;
            }),
          },
          ...linesOf((row) => statisticLines(facts.get(row.model), t)),
        ]}
      />
      <p className="mt-3 text-sm">
        <Muted>
          {t("pricing.statisticsNote", { days: statisticsDays, calls: statisticsCallsMin })}
        </Muted>
      </p>
    </Sheet>
  );
}
