import { QueryClient } from "@tanstack/react-query";
import { CallError } from "#api/call.ts";

/**
 * How often a failed read is retried, and the wait before the first retry; each further wait
 * doubles.
 */
const retriesMax = 2;
const firstRetryMs = 400;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // An answer that refuses the request is final. Only a request that got no answer is retried.
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

function isPassing(error: Error): boolean {
  return error instanceof CallError && (error.status === 0 || error.status >= 502);
}
