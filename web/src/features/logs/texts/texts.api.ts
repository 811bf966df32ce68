/** The API calls for the texts of calls. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { readTextRules, readTexts, removeTexts } from "@tollgate/contract/endpoints/logs.ts";
import { call } from "#api/call.ts";

/** Reads whether texts are kept, and for how long. */
export function useTextRules() {
  return useQuery({
    queryKey: ["log-text-rules"],
    queryFn: async ({ signal }) => await call(readTextRules, {}, signal),
  });
}

/** Reads the texts of a call. Each reading is audited, so nothing reads them again by itself. */
export function useTexts(id: number) {
  return useQuery({
    queryKey: ["log-texts", id],
    queryFn: async ({ signal }) => await call(readTexts, { id }, signal),
    staleTime: Number.POSITIVE_INFINITY,
    // Not kept in memory once the sheet is closed.
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** Turns the storing of texts off. */
export function useTextsOff() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      // Loaded only now: the file has all options, which the log page does not need.
      const { updateOption } = await import("@tollgate/contract/options/options.ts");
      return await call(updateOption, { key: "LogContentEnabled", value: "false" });
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ["options"] });
      await queries.invalidateQueries({ queryKey: ["log-text-rules"] });
    },
  });
}

/** Removes all stored texts; resolves to their number. */
export function useRemoveTexts() {
  return useMutation({ mutationFn: async () => await call(removeTexts, {}) });
}
