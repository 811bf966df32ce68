/** The API calls of the two user lists. */

import {
  keepPreviousData,
  type QueryClient,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { listUserEntries } from "@tollgate/contract/endpoints/entries.ts";
import { listGroups } from "@tollgate/contract/endpoints/groups.ts";
import * as admin from "@tollgate/contract/endpoints/user-admin.ts";
import type * as contract from "@tollgate/contract/endpoints/users.ts";
import { call, callWhole } from "#api/call.ts";
import type { NewUserForm, UserEdit } from "./user-form.ts";

type User = contract.AdminUser;

const allUsers = ["users"] as const;
const allLists = [...allUsers, "list"] as const;

/** Milliseconds for which the list of groups counts as fresh. */
const groupsStaleMs = 60_000;

type UserPage = { readonly items: readonly User[]; readonly total: number };

/**
 * Which endpoint a list reads: `list` for the administrators' page, `query` for root's page. Both
 * answer with the same rows.
 */
export type UserSource = "list" | "query";

type PageInput = {
  readonly keyword: string;
  readonly group: string;
  readonly page: number;
  readonly size: number;
};

export function useUsers(source: UserSource, input: PageInput) {
  return useQuery({
    queryKey: [...allLists, source, input],
    queryFn: ({ signal }) => readUsers(source, input, signal),
    placeholderData: keepPreviousData,
  });
}

export async function readUsers(
  source: UserSource,
  { keyword, group, page, size }: PageInput,
  signal: AbortSignal,
): Promise<UserPage> {
  const window = { p: page, page_size: size };
  const filter = { keyword, group };
  if (source === "query") {
    const { data, extras } = await callWhole(admin.queryUsers, { ...window, ...filter }, signal);
    return { items: "items" in data ? data.items : data, total: extras.total };
  }
  return keyword === "" && group === ""
    ? await call(admin.listUsers, window, signal)
    : await call(admin.searchUsers, { ...window, ...filter }, signal);
}

/** Reads one user anew. With `id` null nothing is read. */
export function useUser(id: number | null) {
  return useQuery({
    queryKey: [...allUsers, "one", id],
    queryFn: ({ signal }) => call(admin.readUser, { id: id ?? 0 }, signal),
    enabled: id !== null,
    // The user is never taken from the cache, because an edit must start from the present values.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}

/** Reads a user from the server, even if it is cached. */
export async function readUserNow(id: number): Promise<User> {
  return await call(admin.readUser, { id });
}

export function useGroupNames() {
  return useQuery({
    queryKey: ["groups"],
    queryFn: ({ signal }) => call(listGroups, {}, signal),
    staleTime: groupsStaleMs,
  });
}

/** Number of ledger entries on one page of a user's quota history. */
export const historySize = 20;

/** Reads one page of a user's entries, for the CSV file. */
export async function readEntries(
  id: number,
  { page, size }: { readonly page: number; readonly size: number },
  signal: AbortSignal,
) {
  return await call(listUserEntries, { id, p: page, page_size: size }, signal);
}

export function useEntries(id: number, page: number) {
  return useQuery({
    queryKey: [...allUsers, "entries", id, page],
    queryFn: ({ signal }) => call(listUserEntries, { id, p: page, page_size: historySize }, signal),
    placeholderData: keepPreviousData,
  });
}

export function useCreateUser() {
  return useChange((form: NewUserForm) => call(admin.createUser, form));
}

export function useUpdateUser() {
  return useChange(({ id, edit }: { id: number; edit: UserEdit }) =>
    call(admin.updateUser, { id, ...edit }),
  );
}

export function useWaiveDebt() {
  return useChange((input: { readonly id: number; readonly reason: string }) =>
    call(admin.waiveDebt, input),
  );
}

type Management = { readonly row: User; readonly action: admin.ManageAction };

/**
 * Enables, disables, promotes, demotes or deletes a user, and updates the row in place. The server
 * sorts deleted users to the end; here a deleted user stays in place until the list is read again,
 * because rows must not move under the pointer.
 */
export function useManageUser() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ row, action }: Management) => call(admin.manageUser, { id: row.id, action }),
    onSuccess: async (answer, { row, action }) => {
      const deleted = action === "delete" ? { DeletedAt: new Date().toISOString() } : {};
      putUser(queries, { ...row, ...answer, ...deleted });
      await queries.invalidateQueries({ queryKey: allUsers, refetchType: "none" });
    },
    // A refusal means that the shown row is out of date, so the lists are read again.
    onError: () => void queries.invalidateQueries({ queryKey: allUsers }),
  });
}

function putUser(queries: QueryClient, user: User): void {
  queries.setQueriesData<UserPage>({ queryKey: allLists }, (page) =>
    page === undefined
      ? page
      : { ...page, items: page.items.map((row) => (row.id === user.id ? user : row)) },
  );
}

type Refused = { readonly id: number; readonly message: string };

export type BulkChange =
  | { readonly status: contract.UserStatus & (1 | 2) }
  | { readonly group: string };

/** Changes many users. Resolves to those that the server refused, with the reasons. */
export function useChangeUsers() {
  return useChange(async ({ ids, change }: { ids: readonly number[]; change: BulkChange }) => {
    const refused: Refused[] = [];
    for (let from = 0; from < ids.length; from += admin.userBatchMax) {
      const batch = ids.slice(from, from + admin.userBatchMax);
      const results =
        "group" in change
          ? await call(admin.updateUserGroups, { ids: batch, group: change.group })
          : await call(admin.updateUserStatuses, { ids: batch, status: change.status });
      refused.push(...results.filter(({ success }) => !success));
    }
    return refused;
  });
}

/** Makes a mutation after which the lists of users are read again. */
function useChange<Change, Answer>(mutationFn: (change: Change) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    // The lists are read again even after an error, because part of the change may have been made.
    onSettled: () => queries.invalidateQueries({ queryKey: allUsers }),
  });
}
