import { type AnyWithdrawal, withdrawalState } from "@tollgate/contract/endpoints/agents.ts";
import { BadgeCheck, Undo2 } from "lucide-react";
import { useMemo, useState } from "react";
import { type Language, type T, useLanguage, useT } from "#i18n/t.ts";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import type { Column, Filter, RowAction } from "#ui/table/column.ts";
import { useListSearch } from "#ui/table/list-search.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { userColumn } from "#widgets/columns/user-column.tsx";
import { withdrawalLooks } from "./agent-texts.ts";
import { readWithdrawals, useWithdrawals } from "./agents.api.ts";
import { agentsSearch, type AgentsSearch } from "./agents.search.ts";
import { EndWithdrawalSheet } from "./EndWithdrawalSheet.tsx";
import { withdrawalColumns } from "./own-columns.tsx";

type Ending = { readonly row: AnyWithdrawal; readonly pays: boolean };

/** `/withdrawals`, for root: the payouts that resellers ask for. */
export function WithdrawalsScreen() {
  const t = useT();
  const language = useLanguage();
  const [search, setSearch] = useListSearch(agentsSearch);
  const { keyword, state, page, size } = search;
  const filter = { keyword: keyword.trim(), state };
  const list = useWithdrawals({ ...filter, page, size });
  const [ending, setEnding] = useState<Ending | null>(null);
  const columns = useMemo(() => anyColumns(t, language), [t, language]);
  const filters = useMemo(() => withdrawalFilters(t), [t]);
  const rowActions = useMemo(() => withdrawalActions(t, setEnding), [t]);
  return (
    <ListScreen<AnyWithdrawal, AgentsSearch>
      id="withdrawals"
      title={t("agents.withdrawalsTitle")}
      description={t("agents.withdrawalsDescription")}
      search={search}
      onSearch={setSearch}
      query={list}
      fetchPage={(window, signal) => readWithdrawals({ ...filter, ...window }, signal)}
      columns={columns}
      rowId={(row) => String(row.id)}
      rowName={(row) => `#${row.id} ${row.username}`}
      keyword={{ name: "keyword", placeholder: t("agents.searchPlaceholder") }}
      filters={filters}
      rowActions={rowActions}
      empty={{
        title: t("agents.withdrawalsNone"),
        description: t("agents.withdrawalsAllNoneHow"),
        action: <LinkButton to="/agents">{t("agents.allTitle")}</LinkButton>,
      }}
    >
      {ending !== null && <EndWithdrawalSheet {...ending} onClose={() => setEnding(null)} />}
    </ListScreen>
  );
}

function withdrawalActions(
  t: T,
  onEnd: (ending: Ending) => void,
): readonly RowAction<AnyWithdrawal>[] {
  const shown = (row: AnyWithdrawal) => row.state === "requested";
  return [
    {
      key: "pay",
      label: t("agents.pay"),
      icon: <BadgeCheck size={16} aria-hidden />,
      shown,
      onSelect: (row) => onEnd({ row, pays: true }),
    },
    {
      key: "reject",
      label: t("agents.reject"),
      icon: <Undo2 size={16} aria-hidden />,
      tone: "danger",
      shown,
      onSelect: (row) => onEnd({ row, pays: false }),
    },
  ];
}

function withdrawalFilters(t: T): readonly Filter[] {
  return [
    {
      kind: "select",
      name: "state",
      label: t("agents.state"),
      items: [
        { value: "", label: t("agents.anyState") },
        ...withdrawalState.options.map((value) => ({
          value,
          label: t(withdrawalLooks[value].text),
        })),
      ],
    },
  ];
}

function anyColumns(t: T, language: Language): readonly Column<AnyWithdrawal>[] {
  return [
    userColumn(t("agents.user"), (row) => row.user_id, "/agents"),
    ...withdrawalColumns<AnyWithdrawal>(t, language),
  ];
}
