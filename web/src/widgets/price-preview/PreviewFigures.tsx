import type {
  KeptReason,
  PreviewResult,
  PreviewRow,
  PreviewSums,
} from "@tollgate/contract/endpoints/price-previews.ts";
import { useState } from "react";
import { type T, useT } from "#i18n/t.ts";
import { FigureGrid } from "#ui/chart/FigureGrid.tsx";
import { PlainTable } from "#ui/chart/PlainTable.tsx";
import { Segmented } from "#ui/controls/Segmented.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";

/** What past calls were charged, and what they would be charged by other prices. */
export function PreviewFigures({ result }: { readonly result: PreviewResult }) {
  const t = useT();
  const { totals, kept } = result;
  return (
    <div className="flex min-w-0 flex-col gap-4" role="status">
      <FigureGrid figures={figuresOf(totals, t)} />
      {kept.length > 0 && (
        <Banner title={t("pricePreview.kept", { count: totals.kept })}>
          <ul className="mt-1">
            {kept.map(({ reason, calls, quota }) => (
              <li key={reason}>
                {t("pricePreview.keptCalls", { count: calls })} <QuotaText quota={quota} inFull />
                {": "}
                {keptText(reason, t)}
              </li>
            ))}
          </ul>
        </Banner>
      )}
      <Lists result={result} />
    </div>
  );
}

function figuresOf(totals: PreviewSums, t: T) {
  const { calls, before, after, cost, costed_calls, costed_before, costed_after } = totals;
  const isKnown = costed_calls > 0;
  const margin = (charged: number) =>
    isKnown ? <QuotaText quota={charged - cost} /> : t("pricePreview.unknown");
  const note = t("pricePreview.costed", { count: costed_calls });
  return [
    {
      name: t("pricePreview.before"),
      value: <QuotaText quota={before} />,
      note: t("pricePreview.calls", { count: calls }),
    },
    {
      name: t("pricePreview.after"),
      value: <QuotaText quota={after} />,
      note: t("pricePreview.units", { count: after }),
    },
    {
      name: t("pricePreview.difference"),
      value: <Difference row={totals} />,
      note: t("pricePreview.units", { count: after - before }),
    },
    { name: t("pricePreview.marginBefore"), value: margin(costed_before), note },
    { name: t("pricePreview.marginAfter"), value: margin(costed_after), note },
  ];
}

function Difference({ row: { before, after } }: { readonly row: PreviewSums }) {
  return (
    <span className="whitespace-nowrap">
      {after > before ? "+" : ""}
      <QuotaText quota={after - before} />
    </span>
  );
}

function keptText(reason: KeptReason, t: T): string {
  switch (reason) {
    case "counts":
      return t("pricePreview.keptCounts");
    case "kind":
      return t("pricePreview.keptKind");
    case "price":
      return t("pricePreview.keptPrice");
    case "refunded":
      return t("pricePreview.keptRefunded");
  }
}

const views = ["models", "groups", "users", "most"] as const;
type View = (typeof views)[number];

function Lists({ result }: { readonly result: PreviewResult }) {
  const t = useT();
  const [view, setView] = useState<View>("models");
  const names: Readonly<Record<View, string>> = {
    models: t("pricePreview.models"),
    groups: t("pricePreview.groups"),
    users: t("pricePreview.users"),
    most: t("pricePreview.most"),
  };
  const rows = view === "most" ? result.most : result[view].items;
  const rest = view === "most" ? 0 : result[view].total - rows.length;
  return (
    <>
      <Segmented<View>
        aria-label={t("pricePreview.by")}
        items={views.map((value) => ({ value, label: names[value] }))}
        value={view}
        onChange={setView}
      />
      {rows.length === 0 ? (
        <p className="text-sm">
          <Muted>{t("pricePreview.nobody")}</Muted>
        </p>
      ) : (
        <PlainTable
          label={names[view]}
          columns={[
            { key: "name", title: t("pricePreview.name") },
            { key: "calls", title: t("pricePreview.callsTitle") },
            { key: "before", title: t("pricePreview.before") },
            { key: "after", title: t("pricePreview.after") },
            { key: "difference", title: t("pricePreview.difference") },
          ]}
          rows={rows.map((row) => ({
            name: row.name || `#${row.id}`,
            cells: cellsOf(row),
          }))}
        />
      )}
      {rest > 0 && <Muted>{t("pricePreview.rest", { count: rest })}</Muted>}
    </>
  );
}

function cellsOf(row: PreviewRow) {
  return [
    row.calls.toLocaleString("en-US"),
    <QuotaText key="before" quota={row.before} />,
    <QuotaText key="after" quota={row.after} />,
    <Difference key="difference" row={row} />,
  ];
}
