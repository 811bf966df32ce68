/** The API calls of the screen of price sources. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import * as contract from "@tollgate/contract/endpoints/price-sources.ts";
import type { z } from "zod";
import { call } from "#api/call.ts";

const sourcesKey = ["price-sources"] as const;

/** What is set of a source. */
export type SourceValues = z.input<typeof contract.createPriceSource.input>;

/** Reads all sources; the list shows them page by page. */
export function useSources({ page, size }: { readonly page: number; readonly size: number }) {
  return useQuery({
    queryKey: sourcesKey,
    queryFn: ({ signal }) => call(contract.listPriceSources, {}, signal),
    select: (rows) => ({
      items: rows.slice((page - 1) * size, page * size),
      total: rows.length,
    }),
  });
}

/** Reads a draft; the screens that decide on it see each change of it at once. */
export function useDraft(id: number) {
  return useQuery({
    queryKey: [...sourcesKey, "draft", id],
    queryFn: ({ signal }) => call(contract.readPriceDraft, { id }, signal),
    staleTime: 0,
  });
}

/** Reads what models would cost with some lines of a draft. */
export function useDraftPrices(id: number, accept: readonly number[]) {
  return useQuery({
    queryKey: [...sourcesKey, "prices", id, accept],
    queryFn: ({ signal }) => call(contract.readDraftPrices, { id, accept: [...accept] }, signal),
    enabled: accept.length > 0,
    staleTime: 0,
  });
}

/** Adds a source, or with an id changes one. */
export function useSaveSource() {
  return useChange(async ({ id, ...values }: SourceValues & { readonly id: number | null }) => {
    if (id === null) await call(contract.createPriceSource, values);
    else await call(contract.updatePriceSource, { id, ...values });
  });
}

export function useRemoveSource() {
  return useChange((id: number) => call(contract.removePriceSource, { id }));
}

/** Reads the list of a source; with a text, that one. Resolves to the draft. */
export function useSync() {
  return useChange((sync: { readonly id: number; readonly text: string }) =>
    call(contract.syncPriceSource, sync),
  );
}

/** Accepts and refuses lines of a draft; every screen that shows prices reads them again. */
export function useDecide() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (decision: z.input<typeof contract.decidePriceDraft.input>) =>
      call(contract.decidePriceDraft, decision),
    onSettled: () => queries.invalidateQueries(),
  });
}

/** Makes a mutation after which the list is read again. */
function useChange<Change, Answer>(mutationFn: (change: Change) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () => queries.invalidateQueries({ queryKey: sourcesKey }),
  });
}
