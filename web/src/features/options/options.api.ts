/** The API calls of the options. */

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
  queryFn: async ({ signal }) => {
    const { data, extras } = await callWhole(listOptions, {}, signal);
    return { texts: storedTexts(data), secretsSet: extras.secrets_set };
  },
  staleTime: 0,
});

type OptionSave = {
  readonly name: OptionName;
  readonly text: string;
  /** The bot-check token, for options whose change requires one. */
  readonly token?: string;
};

type SaveFailure = { readonly name: OptionName; readonly error: unknown };

/**
 * Saves options one call after another, because a switch may need the values saved before it.
 * Resolves to the options that the server refused, with the errors.
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

/** Removes the stored value of an option that is a secret. */
export function useClearSecret() {
  const reload = useReloadOptions();
  return useMutation({
    mutationFn: (name: OptionName) => call(updateOption, { key: name, value: "", clear: true }),
    onSettled: reload,
  });
}

/** Reads everything again, because other screens and the frame around them depend on options. */
export function useReloadOptions(): () => Promise<void> {
  const queries = useQueryClient();
  return async () => {
    void loadStatus();
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "options" });
    await queries.invalidateQueries({ queryKey: optionsQuery.queryKey });
  };
}

/**
 * Removes old log rows. Resolves to the number of removed rows; the answer's message says if there
 * are more.
 */
export function useCleanLogs() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (before: number) => callWhole(cleanLogs, { target_timestamp: before }),
    onSettled: () => queries.invalidateQueries({ queryKey: ["logs"] }),
  });
}

export function useSendTestMail() {
  return useMutation({
    mutationFn: (mail: z.input<(typeof sendTestMail)["input"]>) => call(sendTestMail, mail),
  });
}
