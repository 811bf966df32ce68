/** The cache of what the server has said, and when a failed read is tried again. */

import { MutationCache, QueryClient } from "@tanstack/react-query";
import { CallError } from "#api/call.ts";
import { mendFaults } from "#ui/overlays/open-faults.ts";

/**
 * How often a failed read is retried, and the wait before the first retry; each further wait
 * doubles.
 */
const retriesMax = 2;
const firstRetryMs = 400;

export const queryClient = new QueryClient({
  // What was refused and now succeeds needs no error message any more.
  mutationCache: new MutationCache({ onSuccess: mendFaults }),
  defaultOptions: {
    queries: {
      // Only failures that may pass are retried: no answer at all, or a status from 502 on. A
      // refusal is final.
      retry: (count, error) => count < retriesMax && isPassing(error),
      retryDelay: (count) => firstRetryMs * 2 ** count,
      // Without a network, a call fails immediately with a message. TanStack Query's default would
      // wait silently.
      networkMode: "always",
      refetchOnWindowFocus: true,
      staleTime: 5_000,
    },
    mutations: { networkMode: "always" },
  },
});

/**
 * Tells a refusal at once. A screen reads again what a change may have touched, also after a
 * refusal, and the library would show the refusal only when that has ended: a list waits for the
 * books, and nobody should wait for a list to be told why a form was not saved.
 */
const complete = queryClient.defaultMutationOptions.bind(queryClient);
queryClient.defaultMutationOptions = (given) => {
  const options = complete(given);
  const onSettled = given?._defaulted === true ? undefined : options.onSettled;
  if (onSettled === undefined) return options;
  return {
    ...options,
    onSettled(data: unknown, error: unknown, ...rest: [unknown, unknown, never]) {
      const done: unknown = onSettled(data, error, ...rest);
      if (error === null) return done;
      // What could not be read again says so itself.
      Promise.resolve(done).catch(() => undefined);
      return undefined;
    },
  };
};

function isPassing(error: Error): boolean {
  return error instanceof CallError && (error.status === 0 || error.status >= 502);
}
