import type { PriceVersion } from "@tollgate/contract/endpoints/price-versions.ts";
import { useNavigate } from "@tanstack/react-router";
import { GitCompare, Calculator, ListTree, Undo2 } from "lucide-react";
import { useMemo } from "react";
import { type T, useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { toast } from "#ui/overlays/toast.ts";
import type { BulkAction, RowAction } from "#ui/table/column.ts";
import { type SetListSearch, useListSearch } from "#ui/table/list-search.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { DifferenceSheet } from "./DifferenceSheet.tsx";
import { usePriceVersions } from "./price-versions.api.ts";
import { versionColumns } from "./price-versions.columns.tsx";
import { type VersionsSearch, versionsSearch } from "./price-versions.search.ts";
import { RollBackSheet } from "./RollBackSheet.tsx";

/** `/prices/versions`, for root: who changed the prices, when and why; any two are compared. */
export function PriceVersionsScreen() {
  const t = useT();
  const [search, setSearch] = useListSearch(versionsSearch);
  const { page, size, from, to, back } = search;
  const list = usePriceVersions({ page, size });
  const columns = useMemo(() => versionColumns(t), [t]);
  const navigate = useNavigate();
  const rowActions = useMemo(
    () =>
      actionsOf(setSearch, t, (version) => {
        void navigate({ to: "/prices/rerates", search: { version } });
      }),
    [setSearch, navigate, t],
  );
  const bulkActions = useMemo(() => bulkOf(setSearch, t), [setSearch, t]);
  return (
    <ListScreen<PriceVersion, VersionsSearch>
      id="price-versions"
      title={t("priceVersions.title")}
      description={t("priceVersions.description")}
      actions={
        <>
          <LinkButton to="/prices/rerates">{t("app.screenRerates")}</LinkButton>
          <LinkButton to="/prices">{t("app.screenPrices")}</LinkButton>
        </>
      }
      search={search}
      onSearch={setSearch}
      query={list}
      columns={columns}
      rowId={({ id }) => String(id)}
      rowName={({ id }) => t("priceVersions.version", { id })}
      rowActions={rowActions}
      bulkActions={bulkActions}
      onOpen={(row) => setSearch(changesOf(row))}
      empty={{
        title: t("priceVersions.title"),
        description: t("priceVersions.description"),
        action: <LinkButton to="/prices">{t("app.screenPrices")}</LinkButton>,
      }}
    >
      {(from !== 0 || to !== 0) && (
        <DifferenceSheet
          from={from}
          to={to}
          onSwap={() => setSearch({ from: to, to: from })}
          onClose={() => setSearch({ from: 0, to: 0 })}
        />
      )}
      {back !== 0 && <RollBackSheet id={back} onClose={() => setSearch({ back: 0 })} />}
    </ListScreen>
  );
}

/** The first version is compared with the one in force, because there is none before it. */
function changesOf({ id, before_id }: PriceVersion) {
  return before_id === 0 ? { from: id, to: 0 } : { from: before_id, to: id };
}

function actionsOf(
  onSearch: SetListSearch<VersionsSearch>,
  t: T,
  onRerate: (version: number) => void,
): readonly RowAction<PriceVersion>[] {
  return [
    {
      key: "changes",
      label: t("priceVersions.changes"),
      icon: <ListTree size={16} aria-hidden />,
      shown: ({ readable, before_id }) => readable && before_id !== 0,
      onSelect: (row) => onSearch(changesOf(row)),
    },
    {
      key: "back",
      label: t("priceVersions.back"),
      icon: <Undo2 size={16} aria-hidden />,
      shown: ({ readable, in_force }) => readable && !in_force,
      onSelect: ({ id }) => onSearch({ back: id }),
    },
    {
      key: "rerate",
      label: t("priceVersions.rerate"),
      icon: <Calculator size={16} aria-hidden />,
      shown: ({ readable }) => readable,
      onSelect: ({ id }) => onRerate(id),
    },
    {
      key: "compare",
      label: t("priceVersions.compareCurrent"),
      icon: <GitCompare size={16} aria-hidden />,
      shown: ({ readable, in_force }) => readable && !in_force,
      onSelect: ({ id }) => onSearch({ from: id, to: 0 }),
    },
  ];
}

function bulkOf(
  onSearch: SetListSearch<VersionsSearch>,
  t: T,
): readonly BulkAction<PriceVersion>[] {
  return [
    {
      key: "compare",
      label: t("priceVersions.compare"),
      icon: <GitCompare size={14} aria-hidden />,
      unselected: t("priceVersions.compareTwo"),
      onSelect: (rows) => {
        const [from, to, ...more] = rows.map(({ id }) => id).toSorted((a, b) => a - b);
        if (from === undefined || to === undefined || more.length > 0) {
          toast({ tone: "warning", title: t("priceVersions.compareTwo") });
        } else onSearch({ from, to });
        return false;
      },
    },
  ];
}
