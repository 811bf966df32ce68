import type { ChargedUsage } from "@tollgate/contract/money/charge.ts";
import type { ModelFactsRow } from "@tollgate/contract/endpoints/model-facts.ts";
import { useT } from "#i18n/t.ts";
import { Checkbox } from "#ui/controls/Checkbox.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { Card } from "#ui/layout/Card.tsx";
import { CopyCell } from "#ui/table/cells/CopyCell.tsx";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";
import { costOf, type ModelPrice } from "#widgets/money/model-prices.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { factLines, type ModelLine, priceLines, statisticLines } from "./model-lines.ts";
import type { PricingSearch } from "./pricing.search.ts";

/** A model of the price list as a card: what it is, what it costs, and how it did here of late. */
export function ModelCard(props: {
  readonly row: ModelPrice;
  readonly facts: ModelFactsRow | undefined;
  readonly unit: PricingSearch["unit"];
  readonly usage: ChargedUsage;
  readonly isCompared: boolean;
  /** Whether as many models are compared as can be. */
  readonly isFull: boolean;
  readonly onCompare: () => void;
}) {
  const { row, facts, unit, usage, isCompared, isFull, onCompare } = props;
  const t = useT();
  const cost = row.isCallable ? costOf(row, usage) : null;
  const statistics = statisticLines(facts, t);
  return (
    <Card>
      <article aria-label={row.model} className="flex h-full min-w-0 flex-col gap-3 text-sm">
        <header className="flex min-w-0 items-center gap-2">
          <ModelMark model={row.model} />
          <h2 className="min-w-0 flex-1 font-medium">
            <CopyCell text={row.model} label={row.model} />
          </h2>
          {facts?.facts?.deprecated === true && <Badge>{t("pricing.deprecated")}</Badge>}
        </header>
        <Lines lines={factLines(facts?.facts, t)} />
        {row.isCallable ? (
          <Lines lines={priceLines(row, unit, facts?.facts, t)} />
        ) : (
          <Muted>{row.kind === "unpriced" ? t("pricing.unpriced") : t("pricing.notInGroup")}</Muted>
        )}
        {cost !== null && (
          <dl className="flex justify-between gap-3">
            <dt>
              <Muted>{t("pricing.exampleCost")}</Muted>
            </dt>
            <dd>
              <QuotaText quota={cost} />
            </dd>
          </dl>
        )}
        {statistics.length > 0 && <Lines lines={statistics} />}
        <div className="mt-auto">
          <Checkbox
            label={t("pricing.compare")}
            aria-label={t("pricing.compareNamed", { model: row.model })}
            checked={isCompared}
            disabled={isFull && !isCompared}
            onChange={onCompare}
          />
        </div>
      </article>
    </Card>
  );
}

function Lines({ lines }: { readonly lines: readonly ModelLine[] }) {
  if (lines.length === 0) return null;
  return (
    <dl className="flex min-w-0 flex-col gap-0.5">
      {lines.map(({ name, text }) => (
        <div key={name} className="flex min-w-0 flex-wrap justify-between gap-x-3">
          <dt className="min-w-0">
            <Muted>{name}</Muted>
          </dt>
          <dd className="ml-auto text-right tabular-nums">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
