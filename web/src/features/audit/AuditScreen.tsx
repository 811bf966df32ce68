import type { AuditRow } from "@tollgate/contract/endpoints/audit.ts";
import { ShieldCheck } from "lucide-react";
import { useMemo } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { LinkButton } from "#ui/controls/LinkButton.tsx";
import { Banner } from "#ui/feedback/Banner.tsx";
import { toastError } from "#ui/overlays/toast.ts";
import type { Filter } from "#ui/table/column.ts";
import { useListSearch } from "#ui/table/list-search.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { actionItems, actionName } from "./audit-actions.ts";
import { type AuditProof, readPage, useAudit, useCheckAudit } from "./audit.api.ts";
import { auditColumns } from "./audit.columns.tsx";
import { auditSearch } from "./audit.search.ts";
import { AuditDetails } from "./AuditDetails.tsx";

/**
 * `/audit`, for root: the list of who changed what, and a check of whether the list was tampered
 * with.
 */
export function AuditScreen() {
  const t = useT();
  const [search, setSearch] = useListSearch(auditSearch);
  const { actor, action, target, start, end, page, size } = search;
  const filter = { actor, action, target, start, end };
  const list = useAudit({ ...filter, page, size });
  const check = useCheckAudit();
  const columns = useMemo(() => auditColumns({ t, onFilter: setSearch }), [t, setSearch]);
  const filters = useMemo(() => auditFilters(t), [t]);
  return (
    <ListScreen
      id="audit"
      title={t("audit.title")}
      description={t("audit.description")}
      search={search}
      onSearch={setSearch}
      query={list}
      fetchPage={(window, signal) => readPage({ ...filter, ...window }, signal)}
      columns={columns}
      rowId={rowId}
      rowName={(row) => `${actionName(row.action, t) ?? row.action} ${row.target}`}
      keyword={{ name: "actor", placeholder: t("audit.actorPlaceholder") }}
      filters={filters}
      actions={
        <Button
          icon={<ShieldCheck size={16} aria-hidden />}
          loading={check.isPending}
          onClick={() => check.mutate(undefined, { onError: toastError })}
        >
          {t("audit.check")}
        </Button>
      }
      summary={check.data !== undefined && <Proof proof={check.data} />}
      expand={(row) => <AuditDetails row={row} />}
      empty={{
        title: t("audit.emptyTitle"),
        description: t("audit.emptyText"),
        action: <LinkButton to="/setting">{t("audit.emptyAction")}</LinkButton>,
      }}
    />
  );
}

function Proof({ proof }: { readonly proof: AuditProof }) {
  const t = useT();
  const { count } = proof;
  const shown = count.toLocaleString("en-US");
  if (proof.intact) {
    return <Banner tone="success" title={t("audit.checkIntact", { count, shown })} />;
  }
  return (
    <Banner tone="danger" title={t("audit.checkBroken")}>
      {proof.broken_id === null
        ? t("audit.checkShort", { count, shown })
        : t("audit.checkBrokenAt", { count, shown, id: proof.broken_id })}
    </Banner>
  );
}

function auditFilters(t: T): readonly Filter[] {
  return [
    {
      kind: "combobox",
      name: "action",
      label: t("audit.action"),
      items: actionItems(t),
      creatable: true,
    },
    {
      kind: "text",
      name: "target",
      label: t("audit.target"),
      placeholder: t("audit.targetPlaceholder"),
    },
    { kind: "time", name: "start", end: "end", label: t("audit.time") },
  ];
}

function rowId(row: AuditRow): string {
  return String(row.id);
}
