/** The columns of the price list for visitors. */

import type { ChargedUsage } from "@tollgate/contract/money/charge.ts";
import { quotaType } from "@tollgate/contract/endpoints/prices.ts";
import type { T } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import type { Column } from "#ui/table/column.ts";
import { MiddleText } from "#ui/table/cells/MiddleText.tsx";
import { CopyCell } from "#ui/table/cells/CopyCell.tsx";
import { ratioTone } from "#widgets/money/ratio-tone.ts";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";
import { costOf, type ModelPrice, type Pricing, showDollars } from "#widgets/money/model-prices.ts";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { type PricingSearch, units } from "./pricing.search.ts";

type Unit = PricingSearch["unit"];

export function pricingColumns(
  t: T,
  unit: Unit,
  ratios: Pricing["groupRatios"],
  usage: ChargedUsage,
): readonly Column<ModelPrice>[] {
  const tokens = unit === "K" ? "1K" : "1M";
  return [
    {
      id: "model",
      title: t("pricing.model"),
      rank: 1,
      width: 220,
      grow: 1,
      sort: true,
      card: "title",
      brief: ({ model }) => (
        <span className="flex min-w-0 items-center gap-2">
          <ModelMark model={model} />
          <MiddleText>{model}</MiddleText>
        </span>
      ),
      cell: ({ model }) => (
        <span className="flex min-w-0 items-center gap-2">
          <ModelMark model={model} />
          <CopyCell text={model} label={model} />
        </span>
      ),
      csv: ({ model }) => model,
    },
    {
      id: "type",
      title: t("pricing.type"),
      rank: 3,
      width: 90,
      card: "fact",
      brief: ({ kind }) => (kind === "tokens" ? null : <TypeBadge kind={kind} t={t} />),
      cell: ({ kind }) => <TypeBadge kind={kind} t={t} />,
      csv: ({ kind }) => (kind === "unpriced" ? "" : String(quotaType.enum[kind])),
    },
    {
      id: "input",
      title: t("pricing.input", { tokens }),
      rank: 1,
      width: 130,
      align: "right",
      sort: true,
      card: "lead",
      brief: (row) =>
        row.kind === "unpriced" ? null : (
          <>
            <Price row={row} column="input" unit={unit} t={t} />
            {row.kind === "tokens" && row.isCallable && (
              <>
                {" → "}
                <Price row={row} column="output" unit={unit} t={t} />
              </>
            )}
          </>
        ),
      cell: (row) => <Price row={row} column="input" unit={unit} t={t} />,
      csv: (row) => priceOf(row, "input", unit) ?? "",
    },
    {
      id: "output",
      title: t("pricing.output", { tokens }),
      rank: 1,
      width: 130,
      align: "right",
      sort: true,
      cell: (row) => <Price row={row} column="output" unit={unit} t={t} />,
      csv: (row) => priceOf(row, "output", unit) ?? "",
    },
    {
      id: "cached",
      title: t("pricing.cached", { tokens }),
      rank: 3,
      width: 130,
      align: "right",
      isInExpanded: true,
      cell: (row) => <Price row={row} column="cacheRead" unit={unit} t={t} />,
      csv: (row) => priceOf(row, "cacheRead", unit) ?? "",
    },
    {
      id: "example",
      title: t("pricing.exampleCost"),
      rank: 2,
      width: 120,
      align: "right",
      isInExpanded: true,
      card: "fact",
      brief: (row) =>
        exampleOf(row, usage) === null ? null : <ExampleCost row={row} usage={usage} />,
      cell: (row) => <ExampleCost row={row} usage={usage} />,
      csv: (row) => String(exampleOf(row, usage) ?? ""),
    },
    {
      id: "groups",
      title: t("pricing.groups"),
      rank: 4,
      width: 200,
      card: "fact",
      brief: ({ groups }) => groups.join(", "),
      cell: ({ groups }) => (
        <span className="flex flex-wrap gap-1 py-1">
          {groups.map((group) => (
            <Badge key={group} tone={ratioTone(ratios[group] ?? 1)}>
              {group}
            </Badge>
          ))}
        </span>
      ),
      csv: ({ groups }) => groups.join(" "),
    },
  ];
}

function TypeBadge({ kind, t }: { readonly kind: ModelPrice["kind"]; readonly t: T }) {
  switch (kind) {
    case "tokens":
      return <Badge tone="accent">{t("pricing.perTokens")}</Badge>;
    case "call":
      return <Badge tone="info">{t("pricing.perCall")}</Badge>;
    case "unpriced":
      return <Badge tone="warning">{t("pricing.unpriced")}</Badge>;
  }
}

/** What the example call would be charged. */
function ExampleCost(props: { readonly row: ModelPrice; readonly usage: ChargedUsage }) {
  const { row, usage } = props;
  const cost = exampleOf(row, usage);
  return cost === null ? <Muted>–</Muted> : <QuotaText quota={cost} />;
}

/** What the example costs; null: the model cannot be called in this group. */
function exampleOf(row: ModelPrice, usage: ChargedUsage) {
  return row.isCallable ? costOf(row, usage) : null;
}

type PriceColumn = "cacheRead" | "input" | "output";

/**
 * Returns the price to show in a column; null: the model has none in this group, or none of this
 * kind.
 */
function priceOf(row: ModelPrice, column: PriceColumn, unit: Unit): string | null {
  if (!row.isCallable || row.kind === "unpriced") return null;
  if (row.kind === "tokens") return showDollars(row.rates[column] * units[unit]);
  return column === "input" ? showDollars(row.perCall) : null;
}

function Price(props: {
  readonly row: ModelPrice;
  readonly column: PriceColumn;
  readonly unit: Unit;
  readonly t: T;
}) {
  const { row, column, unit, t } = props;
  const price = priceOf(row, column, unit);
  if (price === null) {
    const isElsewhere = column === "input" && !row.isCallable && row.kind !== "unpriced";
    return <Muted>{isElsewhere ? t("pricing.notInGroup") : "–"}</Muted>;
  }
  return row.kind === "call" ? t("pricing.eachCall", { price }) : price;
}
