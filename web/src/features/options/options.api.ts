/** The API calls of the options. */

import { queryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { listOwned, type OwnedThing } from "@tollgate/contract/endpoints/configuration.ts";
import {
  type LogCleaning,
  readLogCleaning,
  startLogCleaning,
  stopLogCleaning,
} from "@tollgate/contract/endpoints/logs.ts";
import { sendTestMail } from "@tollgate/contract/endpoints/mail.ts";
import { listOptions, type OptionName, updateOption } from "@tollgate/contract/options/options.ts";
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

/** Reads which options a configuration file owns, and what of them has drifted from it. */
export function useOwnedOptions(): readonly OwnedThing[] {
  const { data } = useQuery({
    queryKey: [...optionsQuery.queryKey, "owned"],
    queryFn: async ({ signal }) => await call(listOwned, {}, signal),
    staleTime: 0,
  });
  return (data ?? []).filter(({ kind }) => kind === "option");
}

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

/** How often the progress of a running cleaning is read, in milliseconds. */
const cleaningIntervalMs = 1_000;

const cleaningKey = ["log-cleaning"];

/** The cleaning of the log in the background, which goes on when the page is closed. */
export function useLogCleaning() {
  const queries = useQueryClient();
  const shows = (cleaning: LogCleaning): void => {
    queries.setQueryData(cleaningKey, cleaning);
    void queries.invalidateQueries({ queryKey: ["logs"] });
  };
  const present = useQuery({
    queryKey: cleaningKey,
    queryFn: async ({ signal }) => await call(readLogCleaning, {}, signal),
    refetchInterval: ({ state }) => (state.data?.state === "running" ? cleaningIntervalMs : false),
  });
  const start = useMutation({
    mutationFn: (before: number) => call(startLogCleaning, { target_timestamp: before }),
    onSuccess: shows,
  });
  const stop = useMutation({ mutationFn: () => call(stopLogCleaning, {}), onSuccess: shows });
  return { present: present.data, start, stop };
}

export function useSendTestMail() {
  return useMutation({
    mutationFn: (mail: z.input<(typeof sendTestMail)["input"]>) => call(sendTestMail, mail),
  });
}
