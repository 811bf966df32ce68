import { act, renderHook } from "#testing/dom.ts";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { expect, jest, spyOn, test } from "bun:test";
import type { ReactNode } from "react";
import { type LogInput, useLogs, useLogStat } from "./logs.api.ts";
import { logSearch } from "./logs.search.ts";

/** Milliseconds after which nothing of a list that was left may be kept. */
const forgottenMs = 60_000;

// Each visit of the log asks for another range, because the default one ends with the time of the
// visit. So answers of earlier visits are of no use, and would fill the browser's memory.
test("the pages of earlier visits are forgotten within a minute", async () => {
  jest.useFakeTimers();
  // Safe cast: `call` passes an address and options, the only form this function supports.
  const fetching = spyOn(globalThis, "fetch").mockImplementation((async () =>
    Response.json({ success: true, message: "", data: null })) as unknown as typeof fetch);
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  try {
    const input: LogInput = {
      scope: { kind: "own" },
      filter: { ...logSearch({ start: 1, end: 2 }).parse({}), quotaMin: 0 },
      sort: "",
      page: 1,
      size: 20,
    };
    const { unmount } = renderHook(() => [useLogs(input, false), useLogStat(input, false)], {
      wrapper: ({ children }: { readonly children: ReactNode }) => (
        <QueryClientProvider client={queries}>{children}</QueryClientProvider>
      ),
    });
    await act(async () => await Promise.resolve());
    expect(queries.getQueryCache().getAll().length).toBeGreaterThan(1);
    unmount();
    jest.advanceTimersByTime(forgottenMs);

    expect(queries.getQueryCache().getAll()).toEqual([]);
  } finally {
    queries.clear();
    fetching.mockRestore();
    jest.useRealTimers();
  }
});
