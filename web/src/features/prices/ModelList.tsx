import { Calculator, Pencil, Sparkles, Trash2 } from "lucide-react";
import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import type { BulkAction, RowAction } from "#ui/table/column.ts";
import { ListBody } from "#ui/table/ListBody.tsx";
import type { SetListSearch } from "#ui/table/list-search.ts";
import { modelColumns } from "./models.columns.tsx";
import {
  byBrand,
  isFound,
  isShown,
  listRowId,
  type ListRow,
  type ModelRow,
  modelsOf,
} from "./models-list.ts";
import type { ModelsSearch } from "./models.search.ts";
import { modelPrefix, newPrefix } from "./prices.search.ts";

/** The list of models, grouped by brand. A search or filter unfolds all brands. */
export function ModelList(props: {
  /** Undefined: they are not known yet. */
  readonly rows: readonly ModelRow[] | undefined;
  readonly quotaPerUnit: string;
  readonly search: ModelsSearch;
  readonly onSearch: SetListSearch<ModelsSearch>;
  readonly onBulk: (models: readonly ModelRow[]) => void;
  readonly onCatalogue: (models: readonly ModelRow[]) => void;
  readonly onRemove: (models: readonly ModelRow[]) => void;
}) {
  const { rows, quotaPerUnit, search, onSearch } = props;
  const t = useT();
  const { expanded, model: keyword, show } = search;
  const isFiltered = keyword.trim() !== "" || show !== "all";
  const items = useMemo(() => {
    if (rows === undefined) return undefined;
    const shown = rows.filter((row) => isShown(row, show) && isFound(row, keyword));
    const unfolded = new Set(expanded.split(","));
    return byBrand(shown, (id) => isFiltered !== unfolded.has(id));
  }, [rows, show, keyword, expanded, isFiltered]);
  const columns = useMemo(() => {
    const onFold = (id: string) => {
      const ids = new Set(expanded.split(",").filter((one) => one !== ""));
      if (!ids.delete(id)) ids.add(id);
      onSearch({ expanded: [...ids].join(",") }, { replace: true });
    };
    return modelColumns({ t, quotaPerUnit, onFold });
  }, [t, quotaPerUnit, expanded, onSearch]);
  const open = (row: ListRow) => {
    if (row.kind === "model") {
      onSearch({ open: (row.isPriced ? modelPrefix : newPrefix) + row.model });
    }
  };
  return (
    <ListBody<ListRow>
      id="models"
      title={t("prices.title")}
      search={{ ...search, page: 1 }}
      // Cast: the list changes only parameters that the addresses of all lists have.
      onSearch={onSearch as SetListSearch}
      query={{
        // Heads of vendors are no models.
        data: items && { items, total: countModels(items) },
        isFetching: items === undefined,
        error: null,
        dataUpdatedAt: 0,
        refetch: () => undefined,
      }}
      columns={columns}
      rowId={listRowId}
      rowName={(row) =>
        row.kind === "model" ? row.model : (row.brand?.name ?? t("prices.otherBrands"))
      }
      rowActions={useRowActions(open, props.onRemove)}
      bulkActions={useBulkActions(props)}
      countSelected={countModels}
      empty={{
        title: t("settings.modelNone"),
        description: t("prices.emptyBody"),
        action: <LinkButton to="/channel">{t("prices.emptyAction")}</LinkButton>,
      }}
      filtered={isFiltered}
      onClear={() => onSearch({ model: "", show: "all" })}
    />
  );
}

function countModels(rows: readonly ListRow[]): number {
  return modelsOf(rows).length;
}

function useRowActions(
  onOpen: (row: ListRow) => void,
  onRemove: (models: readonly ModelRow[]) => void,
): readonly RowAction<ListRow>[] {
  const t = useT();
  return [
    {
      key: "edit",
      label: t("prices.edit"),
      icon: <Pencil size={16} aria-hidden />,
      shown: ({ kind }) => kind === "model",
      onSelect: onOpen,
    },
    {
      key: "remove",
      label: t("prices.remove"),
      icon: <Trash2 size={16} aria-hidden />,
      shown: (row) => row.kind === "model" && row.isPriced,
      onSelect: (row) => onRemove(modelsOf([row])),
    },
  ];
}

/**
 * Returns the bulk actions. Each answers false so that the models stay selected, because nothing is
 * saved yet.
 */
function useBulkActions({
  onBulk,
  onCatalogue,
  onRemove,
}: Readonly<
  Record<"onBulk" | "onCatalogue" | "onRemove", (models: readonly ModelRow[]) => void>
>): readonly BulkAction<ListRow>[] {
  const t = useT();
  return [
    {
      key: "catalogue",
      label: t("prices.catalogue"),
      icon: <Sparkles size={14} aria-hidden />,
      onSelect: (rows) => {
        onCatalogue(modelsOf(rows));
        return false;
      },
    },
    {
      key: "change",
      label: t("prices.bulk"),
      icon: <Calculator size={14} aria-hidden />,
      onSelect: (rows) => {
        onBulk(modelsOf(rows));
        return false;
      },
    },
    {
      key: "remove",
      label: t("prices.remove"),
      icon: <Trash2 size={14} aria-hidden />,
      tone: "danger",
      onSelect: (rows) => {
        onRemove(modelsOf(rows));
        return false;
      },
    },
  ];
}
