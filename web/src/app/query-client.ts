import { QueryClient } from "@tanstack/react-query";
import { CallError } from "#api/call.ts";

/** How often a failed read is repeated, and the wait before the first repeat; each wait doubles. */
const retriesMax = 2;
const firstRetryMs = 400;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal is final. Only a server that did not answer is asked again.
      retry: (count, error) => count < retriesMax && isPassing(error),
      retryDelay: (count) => firstRetryMs * 2 ** count,
      // Without a network a call fails at once with a message. The default would wait silently.
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
