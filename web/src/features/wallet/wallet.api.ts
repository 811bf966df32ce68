/** The API calls of the wallet. */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { transferEarnings } from "@tollgate/contract/endpoints/affiliates.ts";
import { listOwnEarnings } from "@tollgate/contract/endpoints/agents.ts";
import { listOwnEntries } from "@tollgate/contract/endpoints/entries.ts";
import {
  checkOwnOrder,
  payAgain,
  listOwnOrders,
  payWith,
  priceOrder,
  readTopUpInfo,
} from "@tollgate/contract/endpoints/orders.ts";
import { redeem } from "@tollgate/contract/endpoints/redemptions.ts";
import { readStatementPart, type StatementFile } from "@tollgate/contract/endpoints/statements.ts";
import { readSelf } from "@tollgate/contract/endpoints/users.ts";
import { call, callWhole } from "#api/call.ts";
import { inviteCode } from "#widgets/earnings/invite-code.ts";

/** The query's key begins with `self`, so that a change of the account reads it again. */
export function useOwnAccount() {
  return useQuery({
    queryKey: ["self", "wallet"],
    queryFn: ({ signal }) => call(readSelf, {}, signal),
    staleTime: 0,
  });
}

/** Redeems a code. Resolves to the quota that it was worth. */
export function useRedeem() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (key: string) => call(redeem, { key }),
    async onSettled() {
      void queries.invalidateQueries({ queryKey: ["own-entries"] });
      await queries.invalidateQueries({ queryKey: ["self"] });
    },
  });
}

type Window = { readonly page: number; readonly size: number };

type EntryPage = Window & { readonly keyword: string };

export function useOwnEntries({ page, size, keyword }: EntryPage) {
  return useQuery({
    queryKey: ["own-entries", page, size, keyword],
    queryFn: async ({ signal, client }) => {
      const read = await readOwnEntries({ page, size, keyword }, signal);
      // The balance at the foot of the menu is then of the same moment as that of the statement.
      void client.invalidateQueries({ queryKey: ["self"] });
      return read;
    },
    placeholderData: keepPreviousData,
  });
}

/** Reads one page of the statement, for the CSV file. */
export async function readOwnEntries({ page, size, keyword }: EntryPage, signal: AbortSignal) {
  const ahead = -new Date().getTimezoneOffset();
  return await call(listOwnEntries, { p: page, page_size: size, keyword, ahead }, signal);
}

/** Reads the whole statement of a time, in Unix seconds, part by part. */
export async function readStatementFile(start: number, end: number): Promise<StatementFile> {
  let file: StatementFile | undefined;
  let more = true;
  while (more) {
    const last = file?.lines.at(-1);
    const { more: isLeft, ...part } = await call(readStatementPart, {
      start_timestamp: start,
      end_timestamp: end,
      ...(last === undefined ? {} : { after: last.seq, previous: last.hash }),
    });
    more = isLeft;
    file = file === undefined ? part : joined(file, part);
  }
  if (file === undefined) throw new Error("a statement has at least one part");
  return file;
}

/** The prices of a part have their places behind those of the parts before. */
function joined(file: StatementFile, part: StatementFile): StatementFile {
  const moved = part.lines.map((line) => {
    const { receipt } = line;
    if (receipt === null || receipt.prices === null) return line;
    return { ...line, receipt: { ...receipt, prices: receipt.prices + file.prices.length } };
  });
  return {
    ...file,
    prices: [...file.prices, ...part.prices],
    lines: [...file.lines, ...moved],
  };
}

export function useOwnEarnings({ page, size }: Window) {
  return useQuery({
    queryKey: ["own-earnings", page, size],
    queryFn: ({ signal }) => readOwnEarnings({ page, size }, signal),
    placeholderData: keepPreviousData,
  });
}

/** Reads one page of what invitations earned, also for the CSV file. */
export async function readOwnEarnings({ page, size }: Window, signal: AbortSignal) {
  return await call(listOwnEarnings, { p: page, page_size: size }, signal);
}

/** Moves what invitations earned to the balance. */
export function useMoveEarnings() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (quota: number) => call(transferEarnings, { quota }),
    async onSettled() {
      for (const key of ["own-entries", "own-earnings"]) {
        void queries.invalidateQueries({ queryKey: [key] });
      }
      await queries.invalidateQueries({ queryKey: ["self"] });
    },
  });
}

export function useInviteCode() {
  return useQuery(inviteCode);
}

export function useTopUpInfo() {
  return useQuery({
    queryKey: ["topup-info"],
    queryFn: ({ signal }) => call(readTopUpInfo, {}, signal),
  });
}

/** Asks for the price of an amount; null: there is nothing to ask about. */
export function usePrice(amount: number | null, method: string) {
  return useQuery({
    queryKey: ["topup-price", amount, method],
    queryFn: ({ signal }) =>
      call(priceOrder, { amount: amount ?? 0, payment_method: method }, signal),
    enabled: amount !== null && method !== "",
    retry: false,
    staleTime: 10_000,
  });
}

type TopUpInput = { readonly amount: number; readonly method: string; readonly processor: string };

/** Creates an order. Resolves to the form that the browser posts, and the order's number. */
export function useStartOrder() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ amount, method, processor }: TopUpInput) => {
      const input = { amount, payment_method: method, processor };
      const { data, extras } = await callWhole(payWith, input);
      const fields = typeof data === "string" ? {} : data;
      return { url: extras.url, fields, order: extras.order };
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ["own-orders"] }),
  });
}

/** Begins the payment of an own order once more. Resolves to the form that the browser posts. */
export function usePayAgain() {
  return useMutation({
    mutationFn: async (number: string) => {
      const { data, extras } = await callWhole(payAgain, { number });
      return { url: extras.url, fields: typeof data === "string" ? {} : data };
    },
  });
}

/** How often an order is asked about while its page is open, in milliseconds. */
const followMs = 4_000;

/**
 * Follows an order until it is paid or has failed; with an empty number nothing is asked.
 * @param query what the browser brought back from the processor; it is sent once.
 */
export function useFollowedOrder(number: string, query: string) {
  const queries = useQueryClient();
  return useQuery({
    queryKey: ["followed-order", number],
    queryFn: async ({ signal }) => {
      const isFirst = queries.getQueryData(["followed-order", number]) === undefined;
      const input = { number, query: isFirst ? query : "" };
      const order = await call(checkOwnOrder, input, signal);
      if (order.state === "paid") {
        for (const key of ["self", "own-entries", "own-orders"]) {
          void queries.invalidateQueries({ queryKey: [key] });
        }
      }
      return order;
    },
    enabled: number !== "",
    // A payment may still arrive after the order has expired.
    refetchInterval: ({ state }) =>
      state.data?.state === "paid" || state.data?.state === "failed" ? false : followMs,
  });
}

export function useOwnOrders({ page, size }: Window) {
  return useQuery({
    queryKey: ["own-orders", page, size],
    queryFn: ({ signal }) => readOwnOrders({ page, size }, signal),
    placeholderData: keepPreviousData,
  });
}

/** Reads one page of the user's orders, also for the CSV file. */
export async function readOwnOrders({ page, size }: Window, signal: AbortSignal) {
  return await call(listOwnOrders, { p: page, page_size: size }, signal);
}
