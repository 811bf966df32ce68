import type { Rerate } from "@tollgate/contract/endpoints/rerates.ts";
import { ListTree, Undo2 } from "lucide-react";
import { useMemo } from "react";
import { type T, useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import type { RowAction } from "#ui/table/column.ts";
import { type SetListSearch, useListSearch } from "#ui/table/list-search.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { BeginSheet } from "./BeginSheet.tsx";
import { useRerates } from "./rerates.api.ts";
import { rerateColumns } from "./rerates.columns.tsx";
import { type ReratesSearch, reratesSearch } from "./rerates.search.ts";
import { RerateSheet } from "./RerateSheet.tsx";
import { UndoSheet } from "./UndoSheet.tsx";

/** `/prices/rerates`, for root: past calls that were charged again, how far that is, and its undo. */
export function ReratesScreen() {
  const t = useT();
  const [search, setSearch] = useListSearch(reratesSearch);
  const { page, size, version, id, undo } = search;
  const list = useRerates({ page, size });
  const columns = useMemo(() => rerateColumns(t), [t]);
  const rowActions = useMemo(() => actionsOf(setSearch, t), [setSearch, t]);
  const versions = <LinkButton to="/prices/versions">{t("app.screenPriceVersions")}</LinkButton>;
  return (
    <ListScreen<Rerate, ReratesSearch>
      id="rerates"
      title={t("rerates.title")}
      description={t("rerates.description")}
      actions={versions}
      search={search}
      onSearch={setSearch}
      query={list}
      columns={columns}
      rowId={(row) => String(row.id)}
      rowName={(row) => t("rerates.one", { id: row.id })}
      rowActions={rowActions}
      onOpen={(row) => setSearch({ id: row.id })}
      empty={{ title: t("rerates.none"), description: t("rerates.noneHow"), action: versions }}
    >
      {version !== 0 && (
        <BeginSheet
          version={version}
          onBegun={(begun) => setSearch({ id: begun })}
          onClose={() => setSearch({ version: 0 })}
        />
      )}
      {undo !== 0 && (
        <UndoSheet
          id={undo}
          onBegun={(begun) => setSearch({ id: begun })}
          onClose={() => setSearch({ undo: 0 })}
        />
      )}
      {id !== 0 && version === 0 && undo === 0 && (
        <RerateSheet
          id={id}
          onUndo={() => setSearch({ id: 0, undo: id })}
          onClose={() => setSearch({ id: 0 })}
        />
      )}
    </ListScreen>
  );
}

function actionsOf(onSearch: SetListSearch<ReratesSearch>, t: T): readonly RowAction<Rerate>[] {
  return [
    {
      key: "result",
      label: t("rerates.result"),
      icon: <ListTree size={16} aria-hidden />,
      onSelect: ({ id }) => onSearch({ id }),
    },
    {
      key: "undo",
      label: t("rerates.undo"),
      icon: <Undo2 size={16} aria-hidden />,
      shown: ({ may_undo }) => may_undo,
      onSelect: ({ id }) => onSearch({ undo: id }),
    },
  ];
}
