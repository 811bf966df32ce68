import { type Redemption, redemptionStatus } from "@tollgate/contract/endpoints/redemptions.ts";
import { Plus } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { type T, useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { FormOutline } from "#ui/feedback/outlines.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import type { Filter } from "#ui/table/column.ts";
import type { SearchPatch } from "#ui/table/list-search.ts";
import { useListSearch } from "#ui/table/list-search.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { byUserText } from "#widgets/people/name-filters.ts";
import { redemptionState } from "./redemption-form.ts";
import { readRedemptions, useFoundCode, useRedemption, useRedemptions } from "./redemptions.api.ts";
import { redemptionColumns } from "./redemptions.columns.tsx";
import { isWholeCode, redemptionSearch, type RedemptionSearch } from "./redemptions.search.ts";
import { CreatedSheet, EditRedemptionSheet, NewRedemptionSheet } from "./RedemptionSheets.tsx";
import { useRedemptionBulkActions, useRedemptionRowActions } from "./use-redemption-actions.tsx";

const { unused, disabled, used } = redemptionStatus.enum;

/** `/redemption`, for root: all codes, who redeemed them, and the sheets that make and edit them. */
export function RedemptionsScreen() {
  const t = useT();
  const [search, setSearch] = useListSearch(redemptionSearch);
  const { keyword, status, used_by, page, size } = search;
  const filter = { keyword: keyword.trim(), status, used_by: used_by.trim() };
  const list = useRedemptions({ ...filter, page, size });
  const [created, setCreated] = useState<{ codes: readonly string[]; name: string } | null>(null);
  const [code, setCode] = useState("");

  const onSearch = useCallback(
    (patch: SearchPatch<RedemptionSearch>, options?: { readonly replace?: boolean }) => {
      // A whole code is looked up at once, and opens its row: it is a secret and stays out of the
      // address.
      const typed = patch.keyword;
      const isCode = typed !== undefined && isWholeCode(typed);
      setCode(isCode ? typed.trim() : "");
      setSearch(isCode ? { ...patch, keyword: "" } : patch, options);
    },
    [setSearch],
  );
  const onOpen = useCallback((open: string) => setSearch({ open }), [setSearch]);
  const close = useCallback(() => setSearch({ open: "" }), [setSearch]);
  const rowActions = useRedemptionRowActions(onOpen);
  const bulkActions = useRedemptionBulkActions();
  const columns = useMemo(() => redemptionColumns(t), [t]);
  const filters = useMemo(() => redemptionFilters(t), [t]);
  const found = useFoundCode(code);
  const shown = code === "" ? list : found;
  const add = (
    <Button variant="primary" icon={<Plus size={16} aria-hidden />} onClick={() => onOpen("new")}>
      {t("redemptions.create")}
    </Button>
  );
  return (
    <ListScreen<Redemption, RedemptionSearch>
      id="redemptions"
      title={t("redemptions.title")}
      description={t("redemptions.description")}
      search={search}
      onSearch={onSearch}
      query={shown}
      fetchPage={(window, signal) => readRedemptions({ ...filter, ...window }, signal)}
      columns={columns}
      rowId={rowId}
      rowName={(row) => row.name}
      rowTone={rowTone}
      keyword={{ name: "keyword", placeholder: t("redemptions.searchPlaceholder") }}
      filters={filters}
      actions={add}
      rowActions={rowActions}
      bulkActions={bulkActions}
      empty={{
        title: t("redemptions.emptyTitle"),
        description: t("redemptions.emptyText"),
        action: add,
      }}
    >
      {search.open === "new" && (
        <NewRedemptionSheet
          onClose={close}
          onCreated={(codes, name) => setCreated({ codes, name })}
        />
      )}
      <OpenRedemption
        key={search.open}
        open={search.open}
        rows={list.data?.items}
        onClose={close}
      />
      {created !== null && <CreatedSheet {...created} onClose={() => setCreated(null)} />}
    </ListScreen>
  );
}

function redemptionFilters(t: T): readonly Filter[] {
  return [
    {
      kind: "select",
      name: "status",
      label: t("redemptions.status"),
      items: [
        { value: 0, label: t("redemptions.statusAny") },
        { value: unused, label: t("redemptions.statusUnused") },
        { value: disabled, label: t("redemptions.statusDisabled") },
        { value: used, label: t("redemptions.statusUsed") },
      ],
    },
    { kind: "suggest", name: "used_by", label: t("redemptions.usedBy"), ...byUserText },
  ];
}

/** The sheet that the address opens. Its code may be on another page of the list. */
function OpenRedemption(props: {
  open: string;
  rows: readonly Redemption[] | undefined;
  onClose: () => void;
}) {
  const { open, rows, onClose } = props;
  const t = useT();
  const id = /^\d{1,15}$/.test(open) ? Number(open) : null;
  const row = rows?.find((each) => each.id === id);
  const isElsewhere = id !== null && rows !== undefined && row === undefined;
  const found = useRedemption(isElsewhere ? id : null);
  const shown = row ?? found.data;
  if (id === null) return null;
  if (shown !== undefined && shown.status === unused) {
    return <EditRedemptionSheet row={shown} onClose={onClose} />;
  }
  return (
    <Sheet open onClose={onClose} title={t("redemptions.editTitle")}>
      {shown !== undefined && <p>{t("redemptions.notEditable")}</p>}
      {shown === undefined && found.error === null && <FormOutline />}
      {shown === undefined && found.error !== null && (
        <ErrorState error={found.error} onRetry={() => void found.refetch()} />
      )}
    </Sheet>
  );
}

function rowId(row: Redemption): string {
  return String(row.id);
}

function rowTone(row: Redemption): "muted" | undefined {
  return redemptionState(row, Math.floor(Date.now() / 1_000)) === "unused" ? undefined : "muted";
}
