/** The API calls of the screen of all orders. */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import * as contract from "@tollgate/contract/endpoints/orders.ts";
import { call } from "#api/call.ts";

const allOrders = ["orders"] as const;

type PageInput = {
  readonly keyword: string;
  readonly username: string;
  readonly state: string;
  readonly page: number;
  readonly size: number;
};

export async function readOrders({ page, size, ...filter }: PageInput, signal: AbortSignal) {
  const window = { p: page, page_size: size };
  const { items, total } = await call(contract.listOrders, { ...window, ...filter }, signal);
  return { items, total };
}

export function useOrders(input: PageInput) {
  return useQuery({
    queryKey: [...allOrders, input],
    queryFn: ({ signal }) => readOrders(input, signal),
    placeholderData: keepPreviousData,
  });
}

/** Reads an order with what arrived about it. */
export function useOrder(id: number) {
  return useQuery({
    queryKey: [...allOrders, "one", id],
    queryFn: ({ signal }) => call(contract.readOrder, { id }, signal),
  });
}

/** Asks the processor about an order again. Resolves to what came of it. */
export function useCheckOrder() {
  return useChange((id: number) => call(contract.checkOrder, { id }));
}

export function useSettleOrder() {
  return useChange((input: { readonly id: number; readonly reason: string }) =>
    call(contract.settleOrder, input),
  );
}

export function useRefundOrder() {
  return useChange(
    (input: { readonly id: number; readonly money: number; readonly reason: string }) =>
      call(contract.refundOrder, input),
  );
}

/** Ends a refund of which the processor has not said whether it is done. */
export function useEndRefund() {
  return useChange(
    (input: { readonly id: number; readonly refund: number; readonly done: boolean }) =>
      call(contract.endRefund, input),
  );
}

function useChange<Change, Answer>(mutationFn: (change: Change) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => queries.invalidateQueries({ queryKey: allOrders }),
  });
}
