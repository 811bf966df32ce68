/** The API calls of the screen of redemption codes. */

import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { listGroups } from "@tollgate/contract/endpoints/groups.ts";
import * as contract from "@tollgate/contract/endpoints/redemptions.ts";
import { call } from "#api/call.ts";
import type { RedemptionValues } from "./redemption-form.ts";

const allRedemptions = ["redemptions"] as const;

type PageInput = {
  readonly keyword: string;
  readonly status: number;
  readonly used_by: string;
  readonly page: number;
  readonly size: number;
};

export async function readRedemptions({ page, size, ...filter }: PageInput, signal: AbortSignal) {
  const window = { p: page, page_size: size };
  const { items, total } = await call(contract.searchRedemptions, { ...window, ...filter }, signal);
  return { items, total };
}

export function useRedemptions(input: PageInput) {
  return useQuery({
    queryKey: [...allRedemptions, input],
    queryFn: ({ signal }) => readRedemptions(input, signal),
    placeholderData: keepPreviousData,
  });
}

/** Finds the code with this text; with an empty text nothing is read. */
export function useFoundCode(code: string) {
  return useQuery({
    queryKey: [...allRedemptions, "code", code],
    queryFn: ({ signal }) =>
      readRedemptions({ keyword: code, status: 0, used_by: "", page: 1, size: 1 }, signal),
    enabled: code !== "",
  });
}

/** Reads one code anew; with `id` null nothing is read. */
export function useRedemption(id: number | null) {
  return useQuery({
    queryKey: ["redemption", id],
    queryFn: ({ signal }) => call(contract.readRedemption, { id: id ?? 0 }, signal),
    enabled: id !== null,
    staleTime: 0,
  });
}

/** Reads the names of all groups. */
export function useGroupNames() {
  return useQuery({
    queryKey: ["groups"],
    queryFn: ({ signal }) => call(listGroups, {}, signal),
    staleTime: 60_000,
  });
}

export function useCreateRedemptions() {
  return useChange((input: RedemptionValues & { readonly count: number }) =>
    call(contract.createRedemptions, input),
  );
}

export function useUpdateRedemption() {
  return useChange((input: RedemptionValues & { readonly id: number }) =>
    call(contract.updateRedemption, input),
  );
}

export function useRemoveRedemption() {
  return useChange((id: number) => call(contract.removeRedemption, { id }));
}

/** Enables or disables codes. Resolves to those that the server refused, with the reasons. */
export function useSetRedemptionStatuses() {
  return useChange(async ({ ids, enabled }: { ids: readonly number[]; enabled: boolean }) => {
    const { unused, disabled } = contract.redemptionStatus.enum;
    const refused: { readonly id: number; readonly message: string }[] = [];
    for (const batch of batchesOf(ids)) {
      const input = { ids: batch, status: enabled ? unused : disabled };
      const results = await call(contract.updateRedemptionStatuses, input);
      refused.push(...results.filter(({ success }) => !success));
    }
    return refused;
  });
}

/** Removes codes. Resolves to the number of removed ones. */
export function useRemoveRedemptions() {
  return useChange(async (ids: readonly number[]) => {
    let removed = 0;
    for (const batch of batchesOf(ids)) {
      removed += await call(contract.removeRedemptions, { ids: batch });
    }
    return removed;
  });
}

function batchesOf(ids: readonly number[]): number[][] {
  const count = Math.ceil(ids.length / contract.redemptionBatchMax);
  return Array.from({ length: count }, (_, index) =>
    ids.slice(index * contract.redemptionBatchMax, (index + 1) * contract.redemptionBatchMax),
  );
}

/** Makes a mutation after which the list is read again. */
function useChange<Change, Answer>(mutationFn: (change: Change) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    // The list is read again even after an error, because part of the change may have been made.
    onSettled: () => queries.invalidateQueries({ queryKey: allRedemptions }),
  });
}
