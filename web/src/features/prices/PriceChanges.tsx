import { useT } from "#i18n/t.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";
import { dollarsPerMillion, type ModelPrices, type PriceRow } from "./price-table.ts";

/** How many models are listed; of the others only the number is shown. */
const shownMax = 12;

/** A preview of a change of prices: each model's input and output price before and after it. */
export function PriceChanges(props: {
  readonly before: readonly PriceRow[];
  readonly after: readonly PriceRow[];
  readonly quotaPerUnit: string;
}) {
  const { before, after, quotaPerUnit } = props;
  const t = useT();
  const old = new Map(before.map(({ model, prices }) => [model, prices]));
  const rest = after.length - shownMax;
  if (after.length === 0) return null;
  return (
    <div className="flex min-w-0 flex-col gap-1.5 text-sm">
      <span className="font-medium">{t("prices.preview", { count: after.length })}</span>
      <ul className="flex min-w-0 flex-col gap-1">
        {after.slice(0, shownMax).map(({ model, prices }) => (
          <li key={model} className="flex min-w-0 items-center gap-2">
            <span className="flex min-w-0 flex-1 items-center gap-2">
              <ModelMark model={model} />
              <span className="min-w-0 wrap-anywhere">{model}</span>
            </span>
            <span className="text-right tabular-nums">
              <Muted>{show(old.get(model) ?? {}, quotaPerUnit)} → </Muted>
              {show(prices, quotaPerUnit)}
            </span>
          </li>
        ))}
      </ul>
      {rest > 0 && <Muted>{t("prices.previewRest", { count: rest })}</Muted>}
    </div>
  );

  function show(prices: ModelPrices, unit: string): string {
    const { ModelPrice, ModelRatio, CompletionRatio = "1" } = prices;
    if (ModelPrice !== undefined) return t("prices.perCall", { price: `$${ModelPrice}` });
    if (ModelRatio === undefined) return "–";
    const input = dollarsPerMillion([ModelRatio], unit) ?? "–";
    return `${input} / ${dollarsPerMillion([ModelRatio, CompletionRatio], unit) ?? "–"}`;
  }
}
