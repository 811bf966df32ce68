import type { AdminUser } from "@tollgate/contract/endpoints/users.ts";
import { UserPlus } from "lucide-react";
import { lazy, Suspense, useCallback, useMemo } from "react";
import { useT, withTexts } from "#i18n/t.ts";
import { ownAddress } from "#page/base-path.ts";
import { CopyButton } from "#ui/copy/CopyButton.tsx";
import { Button } from "#ui/controls/Button.tsx";
import { ErrorState } from "#ui/feedback/ErrorState.tsx";
import { FormOutline } from "#ui/feedback/outlines.tsx";
import { Sheet } from "#ui/overlays/Sheet.tsx";
import { useTextQuestion } from "#ui/overlays/use-text-question.ts";
import type { Filter, RowAction } from "#ui/table/column.ts";
import { useListSearch } from "#ui/table/list-search.ts";
import { ListScreen } from "#ui/table/ListScreen.tsx";
import { useRecordCommands } from "#widgets/commands/record-commands.ts";
import { useSession } from "#widgets/server/use-status.ts";
import { useUserBulkActions, useUserRowActions } from "./use-user-actions.tsx";
import type { Caller } from "./user-rules.ts";
import { readUsers, type UserSource, useGroupNames, useUser, useUsers } from "./users.api.ts";
import { userColumns } from "./users.columns.tsx";
import { openHistory, readOpened, userSearch, type UserSearch } from "./users.search.ts";

// The sheets are loaded when the first one opens, because most visitors need only the list.
const loadSheets = () => import("./UserSheet.tsx");
const NewUserSheet = lazy(async () => ({ default: (await loadSheets()).NewUserSheet }));
const SetGroupDialog = lazy(async () => ({
  default: (await import("./SetGroupDialog.tsx")).SetGroupDialog,
}));
const UserSheet = lazy(async () => ({ default: (await loadSheets()).UserSheet }));
const WaiveDebtSheet = lazy(async () => ({
  default: (await import("./WaiveDebtSheet.tsx")).WaiveDebtSheet,
}));
const QuotaHistory = lazy(async () => ({
  default: (await withTexts("entries", import("./QuotaHistory.tsx"))).QuotaHistory,
}));

/** `/user`: the list of users, for administrators. */
export function UsersScreen() {
  return <UserList source="list" />;
}

/**
 * `/newUser`, for root: the same list, with each user's consumption in several periods and its
 * share of the total.
 */
export function NewUsersScreen() {
  return <UserList source="query" />;
}

/**
 * The caller while nobody is signed in, who may do nothing. The router then shows another screen.
 */
const nobody: Caller = { id: 0, role: 1 };

function UserList({ source }: { source: UserSource }) {
  const t = useT();
  const caller = useSession() ?? nobody;
  const [search, setSearch] = useListSearch(userSearch);
  const { keyword, group, page, size } = search;
  const filter = { keyword: keyword.trim(), group };
  const list = useUsers(source, { ...filter, page, size });
  const onOpen = useCallback((open: string) => setSearch({ open }), [setSearch]);
  const question = useTextQuestion();
  const rowActions = useUserRowActions(caller, onOpen);
  const bulkActions = useUserBulkActions(caller, question.ask);
  const columns = useMemo(() => userColumns({ t, source, onOpen }), [t, source, onOpen]);
  const filters = useFilters();
  const add = (
    <Button
      variant="primary"
      icon={<UserPlus size={16} aria-hidden />}
      onClick={() => onOpen("new")}
    >
      {t("users.create")}
    </Button>
  );

  return (
    <ListScreen<AdminUser, UserSearch>
      id={source === "list" ? "users" : "new-users"}
      title={source === "list" ? t("users.title") : t("users.titleNew")}
      description={source === "list" ? t("users.description") : t("users.descriptionNew")}
      search={search}
      onSearch={setSearch}
      query={list}
      fetchPage={(window, signal) => readUsers(source, { ...filter, ...window }, signal)}
      columns={columns}
      rowId={rowId}
      rowName={rowName}
      rowTone={rowTone}
      keyword={{ name: "keyword", placeholder: t("users.searchPlaceholder") }}
      filters={filters}
      actions={add}
      rowActions={rowActions}
      bulkActions={bulkActions}
      empty={{ title: t("users.emptyTitle"), description: t("users.emptyText"), action: add }}
      few={{
        title: t("users.fewTitle"),
        description: t("users.fewText"),
        action: <CopyButton text={`${ownAddress()}/register`} label={t("users.fewAction")} />,
      }}
    >
      <Suspense>
        <OpenSheet
          key={sheetKey(search.open)}
          open={search.open}
          rows={list.data?.items}
          caller={caller}
          actions={rowActions}
          onOpen={onOpen}
        />
        {question.wasAsked && <SetGroupDialog question={question} />}
      </Suspense>
    </ListScreen>
  );
}

function useFilters(): readonly Filter[] {
  const t = useT();
  const { data: groups } = useGroupNames();
  return useMemo(
    () => [
      {
        kind: "combobox",
        name: "group",
        label: t("users.group"),
        items: (groups ?? []).map((name) => ({ value: name, label: name })),
      },
    ],
    [t, groups],
  );
}

/**
 * Makes the React key of the open sheet: it changes with the user, but not with the page of a
 * user's history.
 */
function sheetKey(open: string): string {
  const opened = readOpened(open);
  return "id" in opened ? `${opened.kind}-${opened.id}` : opened.kind;
}

/**
 * The sheet that the address opens. Its user may be on another page of the list, and is then read
 * separately.
 */
function OpenSheet(props: {
  open: string;
  rows: readonly AdminUser[] | undefined;
  caller: Caller;
  actions: readonly RowAction<AdminUser>[];
  onOpen: (open: string) => void;
}) {
  const { open, rows, caller, actions, onOpen } = props;
  const opened = readOpened(open);
  const close = () => onOpen("");
  switch (opened.kind) {
    case "none":
      return null;
    case "new":
      return <NewUserSheet onClose={close} />;
    case "edit":
      return (
        <OpenUser id={opened.id} rows={rows} caller={caller} actions={actions} onClose={close} />
      );
    case "debt":
      return (
        <WaiveDebtSheet
          id={opened.id}
          user={rows?.find(({ id }) => id === opened.id)}
          onClose={close}
        />
      );
    case "history":
      return (
        <QuotaHistory
          id={opened.id}
          name={rows?.find(({ id }) => id === opened.id)?.username ?? `#${opened.id}`}
          page={opened.page}
          onPage={(page) => onOpen(openHistory(opened.id, page))}
          onEdit={() => onOpen(String(opened.id))}
          onClose={close}
        />
      );
  }
}

function OpenUser(props: {
  id: number;
  rows: readonly AdminUser[] | undefined;
  caller: Caller;
  actions: readonly RowAction<AdminUser>[];
  onClose: () => void;
}) {
  const { id, rows, caller, actions, onClose } = props;
  const t = useT();
  const row = rows?.find((each) => each.id === id);
  const found = useUser(rows !== undefined && row === undefined ? id : null);
  const user = row ?? found.data;
  useRecordCommands(user, user?.username ?? "", actions);
  if (user !== undefined) return <UserSheet user={user} caller={caller} onClose={onClose} />;
  return (
    <Sheet open onClose={onClose} title={t("users.editTitle")}>
      {found.error === null ? (
        <FormOutline />
      ) : (
        <ErrorState error={found.error} onRetry={() => void found.refetch()} />
      )}
    </Sheet>
  );
}

function rowId(row: AdminUser): string {
  return String(row.id);
}

function rowName(row: AdminUser): string {
  return row.username;
}

function rowTone(row: AdminUser): "muted" | undefined {
  return row.DeletedAt === null ? undefined : "muted";
}
