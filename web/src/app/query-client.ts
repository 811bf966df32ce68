import { QueryClient } from "@tanstack/react-query";
import { CallError } from "#api/call.ts";

/** Times a read is tried again by itself, and the wait before the first; each is twice the last. */
const retriesMax = 2;
const firstRetryMs = 400;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      // A refusal stays one; only a server that did not answer is asked again.
      retry: (count, error) => count < retriesMax && isPassing(error),
      retryDelay: (count) => firstRetryMs * 2 ** count,
      // Without a network the call fails and says so, instead of waiting without a word.
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
