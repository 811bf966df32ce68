/** The columns of the list of models and prices. */

import { scaled } from "@tollgate/contract/money/decimals.ts";
import { ChevronDown, ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import type { Column } from "#ui/table/column.ts";
import { CutText } from "#ui/table/cells/CutText.tsx";
import { BrandMark, ModelMark } from "#widgets/brands/BrandMark.tsx";
import type { BrandRow, ListRow, ModelRow } from "./models-list.ts";
import { dollarsPerMillion, type ModelPrices } from "./price-table.ts";

type ColumnDeps = {
  readonly t: T;
  readonly quotaPerUnit: string;
  readonly onFold: (id: string) => void;
};

export function modelColumns({ t, quotaPerUnit, onFold }: ColumnDeps): Column<ListRow>[] {
  const price = (
    title: string,
    id: "input" | "output",
    of: (prices: ModelPrices) => ReactNode,
  ): Column<ListRow> => ({
    id,
    title,
    rank: 1,
    width: 120,
    align: "right",
    ...(id === "input" ? { card: "lead", brief: (row) => briefPrice(row, quotaPerUnit, t) } : {}),
    cell: (row) =>
      row.kind === "brand" ? (
        <span className="whitespace-nowrap tabular-nums">
          <Muted>{priceRange(row, id, quotaPerUnit)}</Muted>
        </span>
      ) : (
        of(row.prices)
      ),
  });
  const perMillion = (ratios: readonly string[]): ReactNode => (
    <span className="tabular-nums">{dollarsPerMillion(ratios, quotaPerUnit) ?? "–"}</span>
  );
  return [
    {
      id: "model",
      title: t("prices.model"),
      rank: 1,
      width: 150,
      grow: 1,
      card: "title",
      cell: (row) =>
        row.kind === "brand" ? (
          <BrandName row={row} onFold={onFold} />
        ) : (
          <span className="flex min-w-0 items-center gap-2 md:pl-9">
            <ModelMark model={row.model} />
            <CutText at="middle">{row.model}</CutText>
          </span>
        ),
    },
    {
      id: "state",
      title: t("prices.state"),
      rank: 2,
      width: 118,
      card: "fact",
      cell: (row) => (row.kind === "brand" ? brandState(row, t) : stateOf(row, t)),
    },
    price(t("prices.input"), "input", ({ ModelPrice, ModelRatio }) =>
      ModelPrice !== undefined ? (
        t("prices.perCall", { price: `$${ModelPrice}` })
      ) : ModelRatio === undefined ? (
        <Muted>–</Muted>
      ) : (
        perMillion([ModelRatio])
      ),
    ),
    price(t("prices.output"), "output", ({ ModelPrice, ModelRatio, CompletionRatio = "1" }) =>
      ModelPrice !== undefined || ModelRatio === undefined ? (
        <Muted>–</Muted>
      ) : (
        perMillion([ModelRatio, CompletionRatio])
      ),
    ),
    {
      id: "source",
      title: t("prices.source"),
      rank: 3,
      width: 150,
      card: "fact",
      brief: (row) => (row.kind === "brand" || !row.isPriced ? null : sourceText(row, t)),
      cell: (row) =>
        row.kind === "brand" || !row.isPriced ? null : (
          <span className="whitespace-nowrap tabular-nums">
            <Muted>{sourceText(row, t) ?? "–"}</Muted>
          </span>
        ),
    },
  ];
}

/**
 * Writes input and output price in short form, for phones; for a brand, the lowest price of input.
 */
function briefPrice(row: ListRow, quotaPerUnit: string, t: T): ReactNode {
  if (row.kind === "brand") {
    const [lowest] = pricesOf(row, "input", quotaPerUnit);
    return <Muted>{lowest === undefined ? "–" : t("prices.from", { price: lowest })}</Muted>;
  }
  const { ModelPrice, ModelRatio, CompletionRatio = "1" } = row.prices;
  if (ModelPrice !== undefined) return t("prices.perCall", { price: `$${ModelPrice}` });
  if (ModelRatio === undefined) return <Muted>–</Muted>;
  return [[ModelRatio], [ModelRatio, CompletionRatio]]
    .map((ratios) => dollarsPerMillion(ratios, quotaPerUnit) ?? "–")
    .join(" → ");
}

/** Writes the range of a brand's prices. */
function priceRange(row: BrandRow, id: "input" | "output", quotaPerUnit: string): string {
  const shown = pricesOf(row, id, quotaPerUnit);
  return shown.length === 0 ? "–" : [...new Set(shown)].join(" – ");
}

/**
 * Returns the lowest and the highest price of a brand's models, in dollars per million tokens. The
 * list is empty if none has a price by token.
 */
function pricesOf(row: BrandRow, id: "input" | "output", quotaPerUnit: string): string[] {
  const ratios = row.models.flatMap(({ prices: { ModelPrice, ModelRatio, CompletionRatio } }) => {
    if (ModelPrice !== undefined || ModelRatio === undefined) return [];
    return [id === "input" ? [ModelRatio] : [ModelRatio, CompletionRatio ?? "1"]];
  });
  const size = ([ratio = "0", over = "1"]: readonly string[]) => scaled(ratio) * scaled(over);
  const sorted = ratios.toSorted((a, b) => Number(size(a) - size(b)));
  return [sorted[0], sorted.at(-1)].flatMap((each) => {
    return each === undefined ? [] : [dollarsPerMillion(each, quotaPerUnit) ?? "–"];
  });
}

function BrandName({ row, onFold }: { row: BrandRow; onFold: (id: string) => void }) {
  const t = useT();
  const name = row.brand?.name ?? t("prices.otherBrands");
  return (
    <span className="flex min-w-0 items-center gap-2 font-medium">
      <button
        type="button"
        aria-expanded={row.isUnfolded}
        className="flex min-h-control-small min-w-0 items-center gap-2 rounded pl-1"
        onClick={() => onFold(row.id)}
      >
        {row.isUnfolded ? (
          <ChevronDown size={16} className="shrink-0" aria-hidden />
        ) : (
          <ChevronRight size={16} className="shrink-0" aria-hidden />
        )}
        <BrandMark brand={row.brand} name={name} />
        <span className="truncate">{name}</span>
      </button>
      <Muted>{row.models.length}</Muted>
    </span>
  );
}

/** Returns null for a brand of which there is nothing to say, so that no line is kept for it. */
function brandState(row: BrandRow, t: T): ReactNode {
  const unpriced = row.models.filter(({ isOffered, isPriced }) => isOffered && !isPriced).length;
  const changed = row.models.filter(({ isChanged }) => isChanged).length;
  if (unpriced === 0 && changed === 0) return null;
  return (
    <span className="flex flex-wrap items-center gap-1">
      {unpriced > 0 && (
        <Badge tone="danger">{t("prices.unpricedCount", { count: unpriced })}</Badge>
      )}
      {changed > 0 && <Badge tone="warning">{t("prices.changedCount", { count: changed })}</Badge>}
    </span>
  );
}

/** Says where a price comes from and of which day it is; null: nobody noted it. */
function sourceText({ source, isChanged }: ModelRow, t: T): string | null {
  if (source === undefined || isChanged) return null;
  const names: Readonly<Record<typeof source.from, string>> = {
    catalogue: t("prices.fromCatalogue"),
    default: t("prices.fromDefault"),
    file: t("prices.fromFile"),
    form: t("prices.fromForm"),
    option: t("prices.fromOption"),
    sync: t("prices.fromSync"),
  };
  return `${names[source.from]} ${source.date}`;
}

function stateOf(row: ModelRow, t: T): ReactNode {
  return (
    <span className="flex flex-wrap items-center gap-1">
      {row.isOffered && row.isPriced && <Badge tone="success">{t("prices.offered")}</Badge>}
      {row.isOffered && !row.isPriced && <Badge tone="danger">{t("prices.unpriced")}</Badge>}
      {!row.isOffered && <Badge>{t("prices.notOffered")}</Badge>}
      {row.isChanged && <Badge tone="warning">{t("prices.changed")}</Badge>}
    </span>
  );
}
