/** The API calls of resellers: their own page, and root's lists. */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import * as contract from "@tollgate/contract/endpoints/agents.ts";
import { call } from "#api/call.ts";
import { inviteCode } from "#widgets/earnings/invite-code.ts";

const own = ["agent"] as const;
const all = ["agents"] as const;

type Window = { readonly page: number; readonly size: number };

const windowOf = ({ page, size }: Window) => ({ p: page, page_size: size });

export function useOwnAgent() {
  return useQuery({
    queryKey: [...own, "info"],
    queryFn: ({ signal }) => call(contract.readAgent, {}, signal),
  });
}

export function useInviteCode() {
  return useQuery(inviteCode);
}

export async function readDividends(window: Window, signal: AbortSignal) {
  return await call(contract.listOwnDividends, windowOf(window), signal);
}

export async function readPurse(window: Window, signal: AbortSignal) {
  return await call(contract.listOwnPurse, windowOf(window), signal);
}

export async function readOwnWithdrawals(window: Window, signal: AbortSignal) {
  return await call(contract.listOwnWithdrawals, windowOf(window), signal);
}

/** Reads a page of one of the caller's own lists. */
export function useOwnList<Page>(
  name: string,
  read: (window: Window, signal: AbortSignal) => Promise<Page>,
  { page, size }: Window,
) {
  return useQuery({
    queryKey: [...own, name, page, size],
    queryFn: ({ signal }) => read({ page, size }, signal),
    placeholderData: keepPreviousData,
  });
}

export function useJoin() {
  return useChange(own, () => call(contract.joinAgents, {}));
}

/** Moves dividends to the balance. */
export function useMovePurse() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (quota: number) => call(contract.movePurse, { quota }),
    async onSettled() {
      for (const key of ["self", "own-entries"]) {
        void queries.invalidateQueries({ queryKey: [key] });
      }
      await queries.invalidateQueries({ queryKey: own });
    },
  });
}

export function useWithdraw() {
  return useChange(own, (input: { readonly quota: number; readonly payee: string }) =>
    call(contract.requestWithdrawal, input),
  );
}

type Filter = Window & { readonly keyword: string; readonly state: string };

export async function readAgents({ keyword, state, ...window }: Filter, signal: AbortSignal) {
  return await call(contract.listAgents, { keyword, state, ...windowOf(window) }, signal);
}

export function useAgents(input: Filter) {
  return useQuery({
    queryKey: [...all, input],
    queryFn: ({ signal }) => readAgents(input, signal),
    placeholderData: keepPreviousData,
  });
}

export async function readWithdrawals({ keyword, state, ...window }: Filter, signal: AbortSignal) {
  return await call(contract.listWithdrawals, { keyword, state, ...windowOf(window) }, signal);
}

export function useWithdrawals(input: Filter) {
  return useQuery({
    queryKey: [...all, "withdrawals", input],
    queryFn: ({ signal }) => readWithdrawals(input, signal),
    placeholderData: keepPreviousData,
  });
}

/** The newest dividends of an agent. */
export function useDividendsOf(id: number) {
  return useQuery({
    queryKey: [...all, "dividends", id],
    queryFn: ({ signal }) => call(contract.listAgentDividends, { id, page_size: 10 }, signal),
  });
}

type AgentChange = {
  readonly id: number;
  readonly state?: Exclude<contract.AgentState, "requested">;
  readonly rate_bp?: number;
};

export function useUpdateAgent() {
  return useChange(all, (change: AgentChange) => call(contract.updateAgent, change));
}

export function useRunDividends() {
  return useChange(all, () => call(contract.runDividends, {}));
}

type Ending = { readonly id: number; readonly note: string; readonly pays: boolean };

/** Says that a withdrawal was paid out, or rejects it. */
export function useEndWithdrawal() {
  return useChange(all, async ({ id, note, pays }: Ending) => {
    await call(pays ? contract.payWithdrawal : contract.rejectWithdrawal, { id, note });
  });
}

function useChange<Change, Answer>(
  queryKey: readonly string[],
  mutationFn: (change: Change) => Promise<Answer>,
) {
  const queries = useQueryClient();
  return useMutation({ mutationFn, onSettled: () => queries.invalidateQueries({ queryKey }) });
}
