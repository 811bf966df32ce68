import type { BookPrices } from "@tollgate/contract/money/price-book.ts";
import { useT } from "#i18n/t.ts";
import { Muted } from "#ui/feedback/Muted.tsx";
import { ChangeList } from "#ui/table/ChangeList.tsx";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";
import { TryPricesHere } from "#widgets/price-preview/TryPrices.tsx";
import { changedLines } from "#widgets/prices/changed-lines.ts";

/** The prices of a model before and after a change; undefined: it has none. */
type BookChange = {
  readonly model: string;
  readonly before: BookPrices | undefined;
  readonly after: BookPrices | undefined;
};

/** How many models are listed; of the others only the number is shown. */
const shownMax = 20;

/** A preview of a change: each model whose prices differ, with the prices that do. */
export function BookPreview({ changes }: { readonly changes: readonly BookChange[] }) {
  const t = useT();
  const differing = changes
    .map(({ model, before, after }) => ({ model, lines: changedLines(before, after, t) }))
    .filter(({ lines }) => lines.length > 0);
  const rest = differing.length - shownMax;
  const same = changes.length - differing.length;
  if (changes.length === 0) return null;
  return (
    <div className="flex min-w-0 flex-col gap-2 text-sm">
      <span className="font-medium">{t("prices.preview", { count: differing.length })}</span>
      <ul className="flex min-w-0 flex-col gap-2">
        {differing.slice(0, shownMax).map(({ model, lines }) => (
          <li key={model} className="flex min-w-0 flex-col gap-1">
            <span className="flex min-w-0 items-center gap-2">
              <ModelMark model={model} />
              <span className="min-w-0 wrap-anywhere">{model}</span>
            </span>
            <ChangeList lines={lines} />
          </li>
        ))}
      </ul>
      {rest > 0 && <Muted>{t("prices.previewRest", { count: rest })}</Muted>}
      {differing.length > 0 && (
        <TryPricesHere
          tried={{
            books: changes.flatMap(({ model, after }) =>
              after === undefined ? [] : [{ model, prices: after }],
            ),
          }}
        />
      )}
      {same > 0 && <Muted>{t("prices.previewSame", { count: same })}</Muted>}
    </div>
  );
}
