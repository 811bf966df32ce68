import type { Token } from "@tollgate/contract/endpoints/tokens.ts";
import { Plus } from "lucide-react";
import { lazy, Suspense, useCallback, useMemo, useState } from "react";
import { useT } from "#i18n/t.ts";
import { Button } from "#ui/controls/Button.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { FormOutline } from "#ui/feedback/outlines.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import type { Filter, RowAction } from "#ui/table/column.ts";
import type { SearchPatch } from "#ui/table/list-search.ts";
import { useListSearch } from "#ui/table/list-search.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { useRecordCommands } from "#widgets/commands/record-commands.ts";
import { byUserText } from "#widgets/people/name-filters.ts";
import { tokenState } from "#widgets/tokens/token-state.ts";
import {
  type CreatedTokens,
  readTokens,
  readWholeKey,
  type TokenSource,
  useSetTokenStatus,
  useToken,
  useTokens,
} from "./tokens.api.ts";
import { tokenColumns } from "./tokens.columns.tsx";
import { SharingWarning } from "./SharingWarning.tsx";
import { maskKeyword, tokenSearch, type TokenSearch } from "./tokens.search.ts";
import {
  connectPrefix,
  rotatePrefix,
  useTokenBulkActions,
  useTokenRowActions,
} from "./use-token-actions.tsx";

// The sheets are loaded when the first one opens, because most visitors need only the list.
const loadKeys = () => import("./TokenKeys.tsx");
const loadSheets = () => import("./TokenSheet.tsx");
const ConnectSheet = lazy(async () => ({ default: (await loadKeys()).ConnectSheet }));
const CreatedSheet = lazy(async () => ({ default: (await loadKeys()).CreatedSheet }));
const EditTokenSheet = lazy(async () => ({ default: (await loadSheets()).EditTokenSheet }));
const RotateSheet = lazy(async () => ({
  default: (await import("./RotateSheet.tsx")).RotateSheet,
}));
const NewTokenSheet = lazy(async () => ({ default: (await loadSheets()).NewTokenSheet }));

/** `/token`: the user's own tokens, the credentials with which client programs call the relay. */
export function TokensScreen() {
  return <TokenList source="own" />;
}

/** `/newToken`, for root: the same list with the tokens of all users and their owners. */
export function NewTokensScreen() {
  return <TokenList source="all" />;
}

function TokenList({ source }: { source: TokenSource }) {
  const t = useT();
  const [search, setSearch] = useListSearch(tokenSearch);
  const { page, size } = search;
  const keyword = search.keyword.trim();
  const username = source === "all" ? search.username : "";
  const filter = { source, keyword, username };
  const list = useTokens({ ...filter, page, size });
  const { mutateAsync: setStatus } = useSetTokenStatus(source);
  const filters = useOwnerFilter();
  const [created, setCreated] = useState<{ made: CreatedTokens; wanted: number } | null>(null);

  const onSearch = useCallback(
    (patch: SearchPatch<TokenSearch>, options?: { readonly replace?: boolean }) => {
      const typed = patch.keyword;
      setSearch(typed === undefined ? patch : { ...patch, keyword: maskKeyword(typed) }, options);
    },
    [setSearch],
  );
  const onOpen = useCallback((open: string) => setSearch({ open }), [setSearch]);
  const close = useCallback(() => setSearch({ open: "" }), [setSearch]);
  const rowActions = useTokenRowActions(source, onOpen);
  const bulkActions = useTokenBulkActions(source);
  const hasBudgets = list.data?.items.some(({ budgets }) => budgets.length > 0) ?? false;
  const columns = useMemo(
    () => tokenColumns({ t, source, hasBudgets, readKey: readWholeKey, onStatus: setStatus }),
    [t, source, hasBudgets, setStatus],
  );
  const add = (
    <Button variant="primary" icon={<Plus size={16} aria-hidden />} onClick={() => onOpen("new")}>
      {t("tokens.create")}
    </Button>
  );

  return (
    <ListScreen<Token, TokenSearch>
      id={source === "own" ? "tokens" : "new-tokens"}
      title={source === "own" ? t("tokens.title") : t("tokens.titleAll")}
      description={source === "own" ? t("tokens.description") : undefined}
      summary={source === "own" ? undefined : <SharingWarning />}
      search={search}
      onSearch={onSearch}
      query={list}
      fetchPage={(window, signal) => readTokens({ ...filter, ...window }, signal)}
      columns={columns}
      rowId={rowId}
      rowName={rowName}
      rowTone={rowTone}
      keyword={{ name: "keyword", placeholder: t("tokens.searchPlaceholder") }}
      {...(source === "all" ? { filters } : {})}
      actions={add}
      rowActions={rowActions}
      bulkActions={bulkActions}
      onOpen={(row) => onOpen(rowId(row))}
      empty={{ title: t("tokens.emptyTitle"), description: t("tokens.emptyText"), action: add }}
      few={{
        title: t("tokens.fewTitle"),
        description: t("tokens.fewText"),
        action: (
          <Button onClick={() => onOpen(`${connectPrefix}${list.data?.items[0]?.id ?? 0}`)}>
            {t("tokens.connect")}
          </Button>
        ),
      }}
    >
      <Suspense>
        {search.open === "new" && (
          <NewTokenSheet
            onClose={close}
            onCreated={(made, wanted) => setCreated({ made, wanted })}
          />
        )}
        <OpenToken
          key={search.open}
          source={source}
          open={search.open}
          rows={list.data?.items}
          actions={rowActions}
          onClose={close}
        />
        {created !== null && (
          <CreatedSheet
            created={created.made}
            wanted={created.wanted}
            onClose={() => setCreated(null)}
          />
        )}
      </Suspense>
    </ListScreen>
  );
}

function useOwnerFilter(): readonly Filter[] {
  const t = useT();
  return useMemo(
    () => [{ kind: "suggest", name: "username", label: t("tokens.owner"), ...byUserText }],
    [t],
  );
}

/**
 * The sheet that the address opens. A token is read anew to be edited, and otherwise if it is on
 * another page of the list.
 */
function OpenToken(props: {
  source: TokenSource;
  open: string;
  rows: readonly Token[] | undefined;
  actions: readonly RowAction<Token>[];
  onClose: () => void;
}) {
  const { source, open, rows, onClose } = props;
  const t = useT();
  const prefix = [connectPrefix, rotatePrefix].find((each) => open.startsWith(each)) ?? "";
  const text = open.slice(prefix.length);
  const id = /^\d{1,15}$/.test(text) ? Number(text) : null;
  const row = rows?.find((each) => each.id === id);
  const isEdited = prefix === "";
  const isElsewhere = rows !== undefined && row === undefined;
  const found = useToken(source, isEdited || isElsewhere ? id : null);
  const known = row ?? found.data;
  const token = isEdited ? found.data : known;
  useRecordCommands(known, known?.name ?? "", props.actions);
  if (id === null) return null;
  if (token !== undefined) {
    if (prefix === connectPrefix) return <ConnectSheet token={token} onClose={onClose} />;
    if (prefix === rotatePrefix) return <RotateSheet token={token} onClose={onClose} />;
    return <EditTokenSheet source={source} token={token} onClose={onClose} />;
  }
  return (
    <Sheet open onClose={onClose} title={t("tokens.editTitle")}>
      {found.error === null ? (
        <FormOutline />
      ) : (
        <ErrorState error={found.error} onRetry={() => void found.refetch()} />
      )}
    </Sheet>
  );
}

function rowId(row: Token): string {
  return String(row.id);
}

function rowName(row: Token): string {
  return row.name;
}

function rowTone(row: Token): "muted" | undefined {
  const state = tokenState(row, Math.floor(Date.now() / 1_000));
  return state === "enabled" ? undefined : "muted";
}
