import { ChevronLeft, ChevronRight, Pencil, Plus, Trash2 } from "lucide-react";
import { useMemo } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { IconButton } from "#ui/controls/IconButton.tsx";
import { SearchInput } from "#ui/controls/SearchInput.tsx";
import { Badge } from "#ui/feedback/Badge.tsx";
import { Muted } from "#ui/feedback/Muted.tsx";
import { CutText } from "#ui/table/cells/CutText.tsx";
import type { Column, RowAction } from "#ui/table/column.ts";
import { ListBody } from "#ui/table/ListBody.tsx";
import type { SetListSearch } from "#ui/table/list-search.ts";
import { ModelSheet } from "./ModelSheet.tsx";
import {
  dollarsPerMillion,
  type ModelPrices,
  type PriceMaps,
  pricesOf,
  priceRows,
  type PriceRow,
  putPrices,
  readGroups,
  samePrices,
} from "./price-table.ts";
import { modelPrefix, newPrefix, type PricesSearch, sheetOf } from "./prices.search.ts";
import { UnpricedModels } from "./UnpricedModels.tsx";
import { useDrafts } from "#widgets/option-form/drafts.ts";
import { ModelMark } from "#widgets/brands/BrandMark.tsx";

/** The number of rows on a page, which the specification sets. */
const pageSize = 10;

/** All models that have a price. Changes are drafts until the settings section is saved. */
export function ModelTable(props: {
  readonly maps: PriceMaps;
  readonly stored: PriceMaps;
  readonly quotaPerUnit: string;
  readonly search: PricesSearch;
  readonly onSearch: SetListSearch<PricesSearch>;
}) {
  const { maps, stored, quotaPerUnit, search, onSearch } = props;
  const t = useT();
  const { change, textOf } = useDrafts();
  const wanted = search.model.trim().toLowerCase();
  const all = useMemo(() => newFirst(priceRows(maps), stored), [maps, stored]);
  const rows = all.filter(({ model }) => model.toLowerCase().includes(wanted));
  const pages = Math.max(1, Math.ceil(rows.length / pageSize));
  const page = Math.min(search.page, pages);
  const items = rows.slice((page - 1) * pageSize, page * pageSize);
  const sheet = sheetOf(search.open, all);
  const columns = useMemo(() => columnsOf(t, stored, quotaPerUnit), [t, stored, quotaPerUnit]);

  function put(model: string, prices: ModelPrices) {
    for (const { name, text } of putPrices(maps, [{ model, prices }])) change(name, text);
  }

  const rowActions: readonly RowAction<PriceRow>[] = [
    {
      key: "edit",
      label: t("settings.modelEdit"),
      icon: <Pencil size={16} aria-hidden />,
      onSelect: ({ model }) => onSearch({ open: modelPrefix + model }),
    },
    {
      key: "remove",
      label: t("settings.modelRemove"),
      icon: <Trash2 size={16} aria-hidden />,
      onSelect: ({ model }) => put(model, {}),
    },
  ];

  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <div className="w-64 max-w-full">
          <SearchInput
            value={search.model}
            placeholder={t("settings.searchModels")}
            onChange={(model) => onSearch({ model, page: 1 }, { replace: true })}
          />
        </div>
        <Button icon={<Plus size={16} aria-hidden />} onClick={() => onSearch({ open: newPrefix })}>
          {t("settings.modelAdd")}
        </Button>
      </div>
      <UnpricedModels maps={maps} onAdd={(model) => onSearch({ open: newPrefix + model })} />
      <ListBody
        id="model-prices"
        title={t("settings.modelPrices")}
        search={{ ...search, page, size: pageSize }}
        // Cast: the list changes only parameters that the addresses of all lists have.
        onSearch={onSearch as SetListSearch}
        query={{
          data: { items, total: rows.length },
          isFetching: false,
          error: null,
          dataUpdatedAt: 0,
          refetch: () => undefined,
        }}
        columns={columns}
        rowId={({ model }) => model}
        rowName={({ model }) => model}
        rowActions={rowActions}
        onOpen={({ model }) => onSearch({ open: modelPrefix + model })}
        empty={{
          title: t("settings.modelNone"),
          description: t("settings.modelNoneBody"),
          action: (
            <Button onClick={() => onSearch({ open: newPrefix })}>{t("settings.modelAdd")}</Button>
          ),
        }}
        filtered={wanted !== ""}
        onClear={() => onSearch({ model: "", page: 1 })}
      />
      <Pages
        page={page}
        pages={pages}
        range={t("settings.pageRange", {
          first: rows.length === 0 ? 0 : (page - 1) * pageSize + 1,
          last: (page - 1) * pageSize + items.length,
          total: rows.length,
        })}
        onChange={(next) => onSearch({ page: next })}
      />
      {sheet !== undefined && (
        <ModelSheet
          key={search.open}
          row={sheet.row}
          isNew={sheet.isNew}
          taken={new Set(all.map(({ model }) => model))}
          quotaPerUnit={quotaPerUnit}
          groups={readGroups(textOf)}
          savesAtOnce={false}
          onApply={async (row) => put(row.model, row.prices)}
          // After a model was added, the table goes to its first page, where models that are not
          // saved yet come first.
          onClose={() => onSearch(sheet.isNew ? { open: "", page: 1 } : { open: "" })}
        />
      )}
    </div>
  );
}

/**
 * Sorts models that are added but not saved first, so that the user finds them among hundreds of
 * others.
 */
function newFirst(rows: readonly PriceRow[], stored: PriceMaps): PriceRow[] {
  const isNew = ({ model }: PriceRow) => Object.keys(pricesOf(stored, model)).length === 0;
  return [...rows.filter(isNew), ...rows.filter((row) => !isNew(row))];
}

function Pages(props: {
  readonly page: number;
  readonly pages: number;
  readonly range: string;
  readonly onChange: (page: number) => void;
}) {
  const { page, pages, onChange } = props;
  const t = useT();
  return (
    <div className="flex flex-wrap items-center justify-end gap-2">
      <span className="mr-auto text-sm tabular-nums">
        <Muted>{props.range}</Muted>
      </span>
      <IconButton
        label={t("settings.pagePrevious")}
        icon={<ChevronLeft size={16} aria-hidden />}
        disabled={page <= 1}
        onClick={() => onChange(page - 1)}
      />
      <span className="text-sm tabular-nums">{`${page} / ${pages}`}</span>
      <IconButton
        label={t("settings.pageNext")}
        icon={<ChevronRight size={16} aria-hidden />}
        disabled={page >= pages}
        onClick={() => onChange(page + 1)}
      />
    </div>
  );
}

function columnsOf(t: T, stored: PriceMaps, quotaPerUnit: string): Column<PriceRow>[] {
  const perMillion = (ratios: readonly string[]): string =>
    t("settings.perMillion", { price: dollarsPerMillion(ratios, quotaPerUnit) ?? "$0.00" });
  return [
    {
      id: "model",
      title: t("settings.modelName"),
      rank: 1,
      width: 160,
      grow: 1,
      card: "title",
      cell: ({ model }) => (
        <span className="flex min-w-0 items-center gap-2">
          <ModelMark model={model} />
          <CutText at="middle">{model}</CutText>
        </span>
      ),
    },
    {
      id: "billing",
      title: t("settings.modelBilling"),
      rank: 3,
      width: 120,
      card: "fact",
      cell: ({ model, prices }) => (
        <span className="flex flex-wrap items-center gap-1">
          <Badge tone={prices.ModelPrice === undefined ? "neutral" : "accent"}>
            {prices.ModelPrice !== undefined
              ? t("settings.byCall")
              : prices.ModelRatio === undefined
                ? t("settings.unpriced")
                : t("settings.byTokens")}
          </Badge>
          {!samePrices(prices, pricesOf(stored, model)) && (
            <Badge tone="warning">{t("settings.rowChanged")}</Badge>
          )}
        </span>
      ),
    },
    {
      id: "input",
      title: t("settings.inputPrice"),
      rank: 1,
      width: 120,
      align: "right",
      // Not beside the name, which is long and needs the line for itself.
      card: "fact",
      brief: ({ prices: { ModelPrice, ModelRatio, CompletionRatio = "1" } }) =>
        ModelPrice !== undefined ? (
          t("settings.perCall", { price: `$${ModelPrice}` })
        ) : ModelRatio === undefined ? (
          <Muted>—</Muted>
        ) : (
          [[ModelRatio], [ModelRatio, CompletionRatio]]
            .map((ratios) => dollarsPerMillion(ratios, quotaPerUnit) ?? "$0.00")
            .join(" → ")
        ),
      cell: ({ prices: { ModelPrice, ModelRatio } }) =>
        ModelPrice !== undefined ? (
          t("settings.perCall", { price: `$${ModelPrice}` })
        ) : ModelRatio === undefined ? (
          <Muted>—</Muted>
        ) : (
          <Priced
            price={perMillion([ModelRatio])}
            ratio={t("settings.ratioOf", { ratio: ModelRatio })}
          />
        ),
    },
    {
      id: "output",
      title: t("settings.outputPrice"),
      rank: 1,
      width: 120,
      align: "right",
      cell: ({ prices: { ModelPrice, ModelRatio, CompletionRatio = "1" } }) =>
        ModelPrice !== undefined || ModelRatio === undefined ? (
          <Muted>—</Muted>
        ) : (
          <Priced
            price={perMillion([ModelRatio, CompletionRatio])}
            ratio={t("settings.ratioOf", { ratio: CompletionRatio })}
          />
        ),
    },
  ];
}

function Priced({ price, ratio }: { readonly price: string; readonly ratio: string }) {
  return (
    <span className="flex flex-col items-end leading-tight max-md:items-start tabular-nums">
      <span>{price}</span>
      <span className="text-xs">
        <Muted>{ratio}</Muted>
      </span>
    </span>
  );
}
