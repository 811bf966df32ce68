/** The calls of the options. */

import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import { cleanLogs } from "@tollgate/contract/logs.ts";
import { sendTestMail } from "@tollgate/contract/mail.ts";
import { listOptions, type OptionName, updateOption } from "@tollgate/contract/options.ts";
import type { z } from "zod";
import { call, callWhole } from "#api/call.ts";
import { loadStatus } from "#api/status.ts";
import { storedTexts } from "./option-drafts.ts";

export const optionsQuery = queryOptions({
  queryKey: ["options"],
  queryFn: async ({ signal }) => storedTexts(await call(listOptions, {}, signal)),
  staleTime: 0,
});

type OptionSave = {
  readonly name: OptionName;
  readonly text: string;
  /** What the bot check gave, where it is asked for. */
  readonly token?: string;
};

type SaveFailure = { readonly name: OptionName; readonly error: unknown };

/**
 * Sends each text in a call of its own, one after the other, because a switch may need what stands
 * before it. Resolves to what was refused.
 */
export function useSaveOptions() {
  const reload = useReloadOptions();
  return useMutation({
    mutationFn: async (saves: readonly OptionSave[]) => {
      const failures: SaveFailure[] = [];
      for (const { name, text, token } of saves) {
        try {
          const proof = token === undefined ? {} : { turnstile_token: token };
          await call(updateOption, { key: name, value: text, ...proof });
        } catch (error) {
          failures.push({ name, error });
        }
      }
      return failures;
    },
    onSettled: reload,
  });
}

/** Options change what other screens and the shell show. */
export function useReloadOptions(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    void loadStatus();
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "options" });
    await queries.invalidateQueries({ queryKey: optionsQuery.queryKey });
  };
}

/** Resolves to how many rows were removed; the message says when there are more. */
export function useCleanLogs() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (before: number) => callWhole(cleanLogs, { target_timestamp: before }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["logs"] }),
  });
}

export function useSendTestMail() {
  return useMutation({
    mutationFn: (letter: z.input<(typeof sendTestMail)["input"]>) => call(sendTestMail, letter),
  });
}
