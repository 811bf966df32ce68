/** The calls of the own account. */

import {
  keepPreviousData,
  type QueryClient,
  queryOptions,
  useMutation,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { readAffCode, transferEarnings } from "@tollgate/contract/affiliates.ts";
import { listOwnEntries } from "@tollgate/contract/entries.ts";
import { listOwnGroups } from "@tollgate/contract/groups.ts";
import { listOwnModels } from "@tollgate/contract/models.ts";
import { testSetting, updateSetting } from "@tollgate/contract/notifications.ts";
import { bindWeChat, createOauthState, unbindIdentity } from "@tollgate/contract/oauth.ts";
import { bindMail, sendMailCode } from "@tollgate/contract/registration.ts";
import {
  endOtherSessions,
  endSession,
  listSessions,
  type Session,
} from "@tollgate/contract/sessions.ts";
import { createAccessToken } from "@tollgate/contract/sign-in.ts";
import type { Status } from "@tollgate/contract/status.ts";
import { readSelf, removeSelf, updateSelf, type User } from "@tollgate/contract/users.ts";
import { readSecondFactors } from "@tollgate/contract/second-factor.ts";
import type { z } from "zod";
import { call, CallError } from "#api/call.ts";
import { keepSession, readSession } from "#api/session.ts";
import type { Language } from "#i18n/t.ts";
import { consentAddress, type RedirectProvider } from "#widgets/sign-in/providers.ts";

/** Milliseconds for which groups and models stay fresh. */
const namesStaleMs = 60_000;

export const selfQuery = queryOptions({
  queryKey: ["self"],
  queryFn: ({ signal }) => call(readSelf, {}, signal),
  // A user who returns from a provider's page sees the new identity at once.
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

/** The models of one group, or of all groups with `""`. */
export function ownModelsQuery(group: string) {
  return queryOptions({
    queryKey: ["own-models", group],
    queryFn: ({ signal }) => call(listOwnModels, { group }, signal),
    placeholderData: keepPreviousData,
    staleTime: namesStaleMs,
  });
}

export const affCodeQuery = queryOptions({
  queryKey: ["aff-code"],
  queryFn: ({ signal }) => call(readAffCode, {}, signal),
  // The code never changes.
  staleTime: Number.POSITIVE_INFINITY,
});

export function entriesQuery(page: number, size: number) {
  return queryOptions({
    queryKey: ["own-entries", page, size],
    queryFn: ({ signal }) => call(listOwnEntries, { p: page, page_size: size }, signal),
    placeholderData: keepPreviousData,
  });
}

/** Reads a page of up to the server's limit, for an export of all entries. */
export async function fetchEntries(
  { page, size }: { readonly page: number; readonly size: number },
  signal: AbortSignal,
) {
  return await call(listOwnEntries, { p: page, page_size: size }, signal);
}

/** Changes the own account; the name in the top bar changes with it. */
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
      // A new password ends the other sessions.
      if (password !== undefined) void queries.invalidateQueries(sessionsQuery);
    },
    onSettled: () => queries.invalidateQueries({ queryKey: selfQuery.queryKey }),
  });
}

/** Resolves to the token, which is never shown again. */
export function useCreateAccessToken() {
  return useMutation({ mutationFn: () => call(createAccessToken, {}) });
}

/** The row disappears at once, and comes back if the server refuses. */
export function useEndSession() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call(endSession, { id }),
    onMutate: (id) => dropSessions(queries, (session) => session.id !== id),
    onError: (_error, _id, before) => queries.setQueryData(sessionsQuery.queryKey, before),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
}

/** Resolves to the number of ended sessions. */
export function useEndOtherSessions() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => call(endOtherSessions, {}),
    onMutate: () => dropSessions(queries, (session) => session.current),
    onError: (_error, _nothing, before) => queries.setQueryData(sessionsQuery.queryKey, before),
    onSettled: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  });
}

/** Resolves to the rows before the change. */
async function dropSessions(
  queries: QueryClient,
  isKept: (session: Session) => boolean,
): Promise<Session[] | undefined> {
  const { queryKey } = sessionsQuery;
  // Otherwise a read that is still running would put the row back.
  await queries.cancelQueries({ queryKey });
  const before = queries.getQueryData(queryKey);
  queries.setQueryData(queryKey, (sessions) => sessions?.filter(isKept));
  return before;
}

/** The provider's address where an identity is bound; valid once, within ten minutes. */
export async function beginBinding(
  provider: RedirectProvider,
  status: Status,
): Promise<{ readonly address: string; readonly state: string }> {
  const state = await call(createOauthState, { provider });
  return { address: consentAddress(provider, status, { state, origin: location.origin }), state };
}

/** Reads the user again after another window has changed it. */
export function useReadSelf(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => await queries.invalidateQueries({ queryKey: selfQuery.queryKey });
}

/** Sends a code by e-mail to prove an address. `turnstile`: the token of the bot check. */
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
  return useIdentityChange((code: string) => call(bindWeChat, { code }));
}

/** Deletes the account. The answer ends every session and replaces this one's cookie. */
export function useUnbind() {
  return useIdentityChange((type: string) => call(unbindIdentity, { type }));
}

/** Removes the e-mail address. */
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
 * Whether a change of the e-mail address asks for the current password. A user with a second factor
 * is asked for that instead.
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

/** Transfers earnings to the balance, in quota units. */
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

/** Sends a test notice by the saved settings. */
export function useTestSetting() {
  return useMutation({ mutationFn: () => call(testSetting, {}) });
}

export function useRemoveSelf() {
  return useMutation({ mutationFn: (username: string) => call(removeSelf, { username }) });
}

/** Attaches a refusal that names no field to the one field it can concern. */
export function atField(error: unknown, field: string): unknown {
  if (!(error instanceof CallError) || error.status !== 200 || error.field !== null) return error;
  const headers = error.requestId === null ? {} : { "x-oneapi-request-id": error.requestId };
  return new CallError(error.message, new Response(null, { headers }), field);
}
