import type { PriceSourceRow } from "@tollgate/contract/endpoints/price-sources.ts";
import { ClipboardPaste, ListChecks, Pencil, Plus, RefreshCw, Trash2 } from "lucide-react";
import { useMemo } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import { useConfirm } from "#ui/overlays/use-confirm.ts";
import type { RowAction } from "#ui/table/column.ts";
import { type SetListSearch, useListSearch } from "#ui/table/list-search.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { DraftSheet } from "./DraftSheet.tsx";
import { PasteSheet } from "./PasteSheet.tsx";
import { useRemoveSource, useSources, useSync } from "./price-sources.api.ts";
import { sourceColumns } from "./price-sources.columns.tsx";
import { type SourcesSearch, sourcesSearch } from "./price-sources.search.ts";
import { SourceSheet } from "./SourceSheet.tsx";

/** `/prices/sources`, for root: lists of prices that others publish, and the drafts they make. */
export function PriceSourcesScreen() {
  const t = useT();
  const [search, setSearch] = useListSearch(sourcesSearch);
  const { page, size, open, draft, paste } = search;
  const list = useSources({ page, size });
  const columns = useMemo(() => sourceColumns(t), [t]);
  const rowActions = useRowActions(setSearch);
  const edited = list.data?.items.find(({ id }) => String(id) === open);
  const add = (
    <Button
      variant="primary"
      icon={<Plus size={16} aria-hidden />}
      onClick={() => setSearch({ open: "new" })}
    >
      {t("priceSources.add")}
    </Button>
  );
  return (
    <ListScreen<PriceSourceRow, SourcesSearch>
      id="price-sources"
      title={t("priceSources.title")}
      description={t("priceSources.description")}
      actions={
        <>
          <LinkButton to="/prices">{t("app.screenPrices")}</LinkButton>
          {add}
        </>
      }
      search={search}
      onSearch={setSearch}
      query={list}
      columns={columns}
      rowId={({ id }) => String(id)}
      rowName={({ name }) => name}
      rowActions={rowActions}
      onOpen={(row) =>
        setSearch(row.draft === null ? { open: String(row.id) } : { draft: row.draft.id })
      }
      empty={{
        title: t("priceSources.emptyTitle"),
        description: t("priceSources.description"),
        action: add,
      }}
    >
      {(open === "new" || edited !== undefined) && (
        <SourceSheet source={edited ?? null} onClose={() => setSearch({ open: "" })} />
      )}
      {paste !== 0 && (
        <PasteSheet
          id={paste}
          onClose={() => setSearch({ paste: 0 })}
          onDraft={(made) => setSearch({ paste: 0, draft: made })}
        />
      )}
      {draft !== 0 && <DraftSheet key={draft} id={draft} onClose={() => setSearch({ draft: 0 })} />}
    </ListScreen>
  );
}

function useRowActions(
  onSearch: SetListSearch<SourcesSearch>,
): readonly RowAction<PriceSourceRow>[] {
  const t = useT();
  const confirm = useConfirm();
  const { mutateAsync: sync } = useSync();
  const { mutateAsync: remove } = useRemoveSource();
  return useMemo(() => {
    const syncNow = async ({ id }: PriceSourceRow) => {
      try {
        const made = await sync({ id, text: "" });
        onSearch({ draft: made.id });
      } catch (error) {
        toastError(error);
      }
    };
    const removeNow = async ({ id, name }: PriceSourceRow) => {
      const agreed = await confirm({
        title: t("priceSources.removeTitle", { name }),
        body: t("priceSources.removeBody"),
        confirmLabel: t("priceSources.remove"),
        tone: "danger",
      });
      if (agreed) await remove(id).catch(toastError);
    };
    return [
      {
        key: "sync",
        label: t("priceSources.sync"),
        icon: <RefreshCw size={16} aria-hidden />,
        shown: ({ url, kind }) => url !== "" || kind === "catalogue",
        onSelect: (row) => void syncNow(row),
      },
      {
        key: "draft",
        label: t("priceSources.review"),
        icon: <ListChecks size={16} aria-hidden />,
        shown: (row) => row.draft !== null,
        onSelect: (row) => onSearch({ draft: row.draft?.id ?? 0 }),
      },
      {
        key: "paste",
        label: t("priceSources.paste"),
        icon: <ClipboardPaste size={16} aria-hidden />,
        onSelect: ({ id }) => onSearch({ paste: id }),
      },
      {
        key: "edit",
        label: t("priceSources.edit"),
        icon: <Pencil size={16} aria-hidden />,
        onSelect: ({ id }) => onSearch({ open: String(id) }),
      },
      {
        key: "remove",
        label: t("priceSources.remove"),
        icon: <Trash2 size={16} aria-hidden />,
        tone: "danger",
        onSelect: (row) => void removeNow(row),
      },
    ];
  }, [t, confirm, onSearch, remove, sync]);
}
