import { type Agent, agentState, percentText } from "@tollgate/contract/endpoints/agents.ts";
import { Ban, Calculator, Check, Percent, X } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { toast, toastError, toastSaved } from "#ui/overlays/toast.ts";
import type { Column, Filter, RowAction } from "#ui/table/column.ts";
import { useListSearch } from "#ui/table/list-search.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { QuotaText } from "#widgets/money/QuotaText.tsx";
import { showQuota } from "#display/quota.ts";
import { stateColumn, timeColumn } from "#widgets/columns/common-columns.tsx";
import { useQuotaDisplay } from "#widgets/money/use-quota-display.ts";
import { userColumn } from "#widgets/columns/user-column.tsx";
import { agentLooks } from "./agent-texts.ts";
import { AgentDividends } from "./AgentDividends.tsx";
import { readAgents, useAgents, useRunDividends, useUpdateAgent } from "./agents.api.ts";
import { agentsSearch, type AgentsSearch } from "./agents.search.ts";
import { RateSheet } from "./RateSheet.tsx";

/** `/agents`, for root: all resellers, who approves them and changes their share. */
export function AgentsScreen() {
  const t = useT();
  const [search, setSearch] = useListSearch(agentsSearch);
  const { keyword, state, page, size } = search;
  const filter = { keyword: keyword.trim(), state };
  const list = useAgents({ ...filter, page, size });
  const [rating, setRating] = useState<Agent | null>(null);
  const rowActions = useAgentActions(setRating);
  const columns = useMemo(() => agentColumns(t), [t]);
  const filters = useMemo(() => agentFilters(t), [t]);
  return (
    <ListScreen<Agent, AgentsSearch>
      id="agents"
      title={t("agents.allTitle")}
      description={t("agents.allDescription")}
      actions={<RunButton />}
      search={search}
      onSearch={setSearch}
      query={list}
      fetchPage={(window, signal) => readAgents({ ...filter, ...window }, signal)}
      columns={columns}
      rowId={(row) => String(row.id)}
      rowName={(row) => row.username}
      keyword={{ name: "keyword", placeholder: t("agents.searchPlaceholder") }}
      filters={filters}
      rowActions={rowActions}
      expand={(row) => <AgentDividends id={row.id} />}
      empty={{
        title: t("agents.allNone"),
        description: t("agents.allNoneHow"),
        action: (
          <LinkButton to="/setting" search={{ tab: "system" }}>
            {t("agents.allNoneAction")}
          </LinkButton>
        ),
      }}
    >
      {rating !== null && <RateSheet agent={rating} onClose={() => setRating(null)} />}
    </ListScreen>
  );
}

/** Computes the dividends of the days that are over. */
function RunButton() {
  const t = useT();
  const display = useQuotaDisplay();
  const { mutateAsync: run, isPending } = useRunDividends();
  const start = async () => {
    try {
      const { days, dividends, quota } = await run(undefined);
      const title =
        days === 0
          ? t("agents.runNothing")
          : t("agents.runDone", { days, dividends, quota: showQuota(quota, display) });
      toast({ tone: "success", title });
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <Button
      icon={<Calculator size={16} aria-hidden />}
      loading={isPending}
      onClick={() => void start()}
    >
      {t("agents.run")}
    </Button>
  );
}

function useAgentActions(onRate: (row: Agent) => void): readonly RowAction<Agent>[] {
  const t = useT();
  const { mutateAsync: update } = useUpdateAgent();
  const change = useCallback(
    async (row: Agent, state: "approved" | "rejected" | "suspended") => {
      try {
        await update({ id: row.id, state });
        toastSaved(t("agents.saved"));
      } catch (error) {
        toastError(error);
      }
    },
    [update, t],
  );
  return useMemo(
    () => [
      {
        key: "approve",
        label: t("agents.approve"),
        icon: <Check size={16} aria-hidden />,
        shown: (row) => row.state !== "approved",
        onSelect: (row) => void change(row, "approved"),
      },
      {
        key: "reject",
        label: t("agents.reject"),
        icon: <X size={16} aria-hidden />,
        tone: "danger",
        shown: (row) => row.state === "requested",
        onSelect: (row) => void change(row, "rejected"),
      },
      {
        key: "edit",
        label: t("agents.setRate"),
        icon: <Percent size={16} aria-hidden />,
        onSelect: onRate,
      },
      {
        key: "suspend",
        label: t("agents.suspend"),
        icon: <Ban size={16} aria-hidden />,
        tone: "danger",
        shown: (row) => row.state === "approved",
        onSelect: (row) => void change(row, "suspended"),
      },
    ],
    [t, change, onRate],
  );
}

function agentFilters(t: T): readonly Filter[] {
  return [
    {
      kind: "select",
      name: "state",
      label: t("agents.state"),
      items: [
        { value: "", label: t("agents.anyState") },
        ...agentState.options.map((value) => ({ value, label: t(agentLooks[value].text) })),
      ],
    },
  ];
}

function agentColumns(t: T): readonly Column<Agent>[] {
  return [
    userColumn(t("agents.user"), (row) => row.id),
    stateColumn(t("agents.state"), (row) => {
      const { text, tone } = agentLooks[row.state];
      return { text: t(text), tone };
    }),
    {
      id: "rate_bp",
      title: t("agents.rate"),
      rank: 2,
      width: 90,
      align: "right",
      csv: (row) => (row.rate_bp < 0 ? "" : percentText(row.rate_bp)),
      cell: (row) => (row.rate_bp < 0 ? t("agents.usual") : `${percentText(row.rate_bp)} %`),
    },
    {
      id: "invitees",
      title: t("agents.invitees"),
      rank: 3,
      width: 90,
      align: "right",
      csv: (row) => String(row.invitees),
      cell: (row) => row.invitees.toLocaleString("en-US"),
    },
    quotaColumn("balance", t("agents.available"), 2),
    quotaColumn("requested", t("agents.requested"), 3),
    quotaColumn("earned", t("agents.earnedEver"), 1),
    timeColumn(
      { id: "requested_at", title: t("agents.requestedAt"), rank: 4 },
      (row) => row.requested_at,
    ),
  ];
}

function quotaColumn(
  id: "balance" | "earned" | "requested",
  title: string,
  rank: Column<Agent>["rank"],
): Column<Agent> {
  return {
    id,
    title,
    rank,
    width: 100,
    align: "right",
    ...(id === "earned" ? { card: "fact" as const } : {}),
    csv: (row) => String(row[id]),
    cell: (row) => <QuotaText quota={row[id]} />,
  };
}
