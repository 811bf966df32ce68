/** The API calls with which users read and change their own account. */

import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { listOwnEntries } from "@tollgate/contract/endpoints/entries.ts";
import { transferEarnings } from "@tollgate/contract/endpoints/affiliates.ts";
import { listOwnGroups } from "@tollgate/contract/endpoints/groups.ts";
import { listOwnModels } from "@tollgate/contract/endpoints/models.ts";
import { testSetting, updateSetting } from "@tollgate/contract/endpoints/notifications.ts";
import {
  bindWeChat,
  createOauthState,
  unbindIdentity,
} from "@tollgate/contract/endpoints/oauth.ts";
import { bindMail, sendMailCode } from "@tollgate/contract/endpoints/registration.ts";
import {
  endOtherSessions,
  endSession,
  listSessions,
  type Session,
} from "@tollgate/contract/endpoints/sessions.ts";
import { createAccessToken } from "@tollgate/contract/endpoints/sign-in.ts";
import type { Status } from "@tollgate/contract/endpoints/status.ts";
import { readSelf, removeSelf, updateSelf, type User } from "@tollgate/contract/endpoints/users.ts";
import { readSecondFactors } from "@tollgate/contract/endpoints/second-factor.ts";
import type { z } from "zod";
import { call, CallError } from "#api/call.ts";
import { ownAddress } from "#page/base-path.ts";
import { inviteCode } from "#widgets/earnings/invite-code.ts";
import { keepSession, readSession } from "#api/session.ts";
import type { Language } from "#i18n/t.ts";
import { consentAddress, type RedirectProvider } from "#widgets/sign-in/providers.ts";

/** Milliseconds for which groups and models count as fresh. */
const namesStaleMs = 60_000;

export const selfQuery = queryOptions({
  queryKey: ["self"],
  queryFn: ({ signal }) => call(readSelf, {}, signal),
  // The account is never taken from the cache, so that a user who returns from a provider's page
  // sees the new identity.
  staleTime: 0,
});

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: ({ signal }) => call(listSessions, {}, signal),
});

export const ownGroupsQuery = queryOptions({
  queryKey: ["own-groups"],
  queryFn: ({ signal }) => call(listOwnGroups, {}, signal),
  staleTime: namesStaleMs,
});

/**
 * Returns the query that reads the models that the user can call in a group; with `""`, in all
 * groups.
 */
export function ownModelsQuery(group: string) {
  return queryOptions({
    queryKey: ["own-models", group],
    queryFn: ({ signal }) => call(listOwnModels, { group }, signal),
    placeholderData: keepPreviousData,
    staleTime: namesStaleMs,
  });
}

export function useInviteCode() {
  return useQuery(inviteCode);
}

type EntryPage = { readonly page: number; readonly size: number; readonly keyword: string };

export function entriesQuery({ page, size, keyword }: EntryPage) {
  return queryOptions({
    queryKey: ["own-entries", page, size, keyword],
    queryFn: ({ signal }) => fetchEntries({ page, size, keyword }, signal),
    placeholderData: keepPreviousData,
  });
}

/**
 * Reads one page of the user's ledger entries, for an export; pages may be as long as the server
 * allows.
 */
export async function fetchEntries({ page, size, keyword }: EntryPage, signal: AbortSignal) {
  const ahead = -new Date().getTimezoneOffset();
  return await call(listOwnEntries, { p: page, page_size: size, keyword, ahead }, signal);
}

/** Changes the user's own account, and the name in the top bar with it. */
export function useUpdateSelf() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (change: z.input<(typeof updateSelf)["input"]>) => call(updateSelf, change),
    onSuccess(_, { username, display_name, password }) {
      const known = queries.getQueryData(selfQuery.queryKey);
      if (known !== undefined) {
        queries.setQueryData(selfQuery.queryKey, {
          ...known,
          username: username ?? known.username,
          display_name: display_name ?? known.display_name,
        });
      }
      const session = readSession();
      if (session !== null) {
        keepSession({
          ...session,
          username: username ?? session.username,
          display_name: display_name ?? session.display_name,
        });
      }
      // A new password has ended the user's other sessions, so their list is read again.
      if (password !== undefined) void queries.invalidateQueries(sessionsQuery);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: selfQuery.queryKey }),
  });
}

/** Makes a new access token. Resolves to the token, which the server never shows again. */
export function useCreateAccessToken() {
  return useMutation({ mutationFn: () => call(createAccessToken, {}) });
}

/** Ends a session. Its row disappears immediately, and is restored if the server refuses. */
export function useEndSession() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call(endSession, { id }),
    onMutate: (id) => dropSessions(queries, (session) => session.id !== id),
    onError: (_error, _id, before) => queries.setQueryData(sessionsQuery.queryKey, before),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
}

/** Ends all sessions but the present one. Resolves to their number. */
export function useEndOtherSessions() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => call(endOtherSessions, {}),
    onMutate: () => dropSessions(queries, (session) => session.current),
    onError: (_error, _nothing, before) => queries.setQueryData(sessionsQuery.queryKey, before),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
}

/**
 * Removes sessions from the shown list before the server answers. Resolves to the previous list,
 * which is shown again if the server refuses.
 */
async function dropSessions(
  queries: QueryClient,
  isKept: (session: Session) => boolean,
): Promise<Session[] | undefined> {
  const { queryKey } = sessionsQuery;
  // Cancels a read that is still under way, because its answer would put the removed rows back.
  await queries.cancelQueries({ queryKey });
  const before = queries.getQueryData(queryKey);
  queries.setQueryData(queryKey, (sessions) => sessions?.filter(isKept));
  return before;
}

/**
 * Begins binding an identity: makes the address of the provider's consent page. Its `state` is
 * valid once, within ten minutes.
 *
 * @param password the present one; undefined: users with a second factor prove that instead.
 */
export async function beginBinding(
  provider: RedirectProvider,
  status: Status,
  password: string | undefined,
): Promise<{ readonly address: string; readonly state: string }> {
  const state = await call(createOauthState, { provider, password });
  return { address: consentAddress(provider, status, { state, origin: ownAddress() }), state };
}

/** Proves to own the account. @returns the state by which a Telegram account can then be bound. */
export async function beginTelegram(password: string): Promise<string> {
  return await call(createOauthState, { provider: "telegram", password });
}

/** Returns a function that reads the account again, after another window has changed it. */
export function useReadSelf(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => await queries.invalidateQueries({ queryKey: selfQuery.queryKey });
}

/**
 * Sends a code to an e-mail address, to prove that the user can read its mail. `turnstile` is the
 * bot-check token.
 */
export async function mailCode(mail: {
  readonly email: string;
  readonly lang: Language;
  readonly turnstile: string;
}): Promise<void> {
  await call(sendMailCode, mail);
}

export function useBindMail() {
  return useIdentityChange((proof: z.input<(typeof bindMail)["input"]>) => call(bindMail, proof));
}

export function useBindWeChat() {
  return useIdentityChange((sent: z.input<(typeof bindWeChat)["input"]>) => call(bindWeChat, sent));
}

/**
 * Unbinds an OAuth identity. The server ends the user's other sessions and gives this browser a new
 * session cookie.
 */
export function useUnbind() {
  return useIdentityChange((type: string) => call(unbindIdentity, { type }));
}

/** Removes the e-mail address from the account. */
export function useUnbindMail() {
  return useIdentityChange(({ password }: { readonly password?: string | undefined }) =>
    call(unbindIdentity, { type: "email", password }),
  );
}

const factorsQuery = queryOptions({
  queryKey: ["second-factors-of-mail"],
  queryFn: ({ signal }) => call(readSecondFactors, {}, signal),
});

/**
 * Whether changing the e-mail address, or binding an identity, requires the present password. Users with a second factor
 * prove that instead.
 */
export function useAsksPassword(): boolean {
  const { data } = useQuery(factorsQuery);
  return data !== undefined && data.asks_password && !data.enabled;
}

function useIdentityChange<Input>(run: (input: Input) => Promise<void>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: run,
    async onSettled() {
      void queries.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      await queries.invalidateQueries({ queryKey: selfQuery.queryKey });
    },
  });
}

/** Transfers invitation earnings to the balance. The amount is in quota units. */
export function useTransfer() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (quota: number) => call(transferEarnings, { quota }),
    onSuccess(_, quota) {
      queries.setQueryData(selfQuery.queryKey, (self: User | undefined) =>
        self === undefined
          ? self
          : { ...self, aff_quota: self.aff_quota - quota, quota: self.quota + quota },
      );
    },
    async onSettled() {
      void queries.invalidateQueries({ queryKey: ["own-entries"] });
      await queries.invalidateQueries({ queryKey: selfQuery.queryKey });
    },
  });
}

export function useUpdateSetting() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (setting: z.input<(typeof updateSetting)["input"]>) => call(updateSetting, setting),
    onSettled: () => queries.invalidateQueries({ queryKey: selfQuery.queryKey }),
  });
}

/** Sends a test notice, with the saved settings. */
export function useTestSetting() {
  return useMutation({ mutationFn: () => call(testSetting, {}) });
}

export function useRemoveSelf() {
  return useMutation({ mutationFn: (username: string) => call(removeSelf, { username }) });
}

/** Assigns an error to a form field, if the server refused the call without naming one. */
export function atField(error: unknown, field: string): unknown {
  if (!(error instanceof CallError) || error.status !== 200 || error.field !== null) return error;
  const headers = error.requestId === null ? {} : { "x-oneapi-request-id": error.requestId };
  return new CallError(error.message, new Response(null, { headers }), field);
}
