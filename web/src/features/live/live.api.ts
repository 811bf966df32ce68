/** The API calls of the screen of running calls. */

import { useMutation } from "@tanstack/react-query";
import { type LiveView, stopLive, streamLive } from "@tollgate/contract/endpoints/live.ts";
import { useCallback, useEffect, useState } from "react";
import { call, type InputOf } from "#api/call.ts";
import { callEvents } from "#api/events.ts";
import type { LiveSearch } from "./live.search.ts";

type LiveFilter = Pick<
  LiveSearch,
  "channel" | "min_seconds" | "model_name" | "token_name" | "username"
>;

type Live = {
  /** Undefined: nothing was told yet. */
  readonly view: LiveView | undefined;
  readonly error: Error | null;
  readonly updatedAt: number;
  readonly isFetching: boolean;
  /** Connects anew. */
  readonly reconnect: () => void;
};

/** How long a reader waits before it asks again: after an answer's end, and after a failure. */
const againMs = 500;
const afterFailureMs = 3_000;

const nothing = { view: undefined, error: null, updatedAt: 0 };

/** What runs now, as the server tells it once a second. While it is paused, the last view stays. */
export function useLive(filter: LiveFilter, isPaused: boolean): Live {
  const [told, setTold] = useState<Pick<Live, "error" | "updatedAt" | "view">>(nothing);
  const [round, setRound] = useState(0);
  const { channel, min_seconds, model_name, token_name, username } = filter;
  useEffect(() => {
    if (isPaused) return;
    const leaving = new AbortController();
    const input = inputOf({ channel, min_seconds, model_name, token_name, username });
    void follow(input, setTold, leaving.signal);
    return () => leaving.abort();
  }, [channel, min_seconds, model_name, token_name, username, isPaused, round]);
  const reconnect = useCallback(() => setRound((before) => before + 1), []);
  return { ...told, isFetching: told.view === undefined && told.error === null, reconnect };
}

function inputOf({ channel, min_seconds, ...names }: LiveFilter): InputOf<typeof streamLive> {
  return {
    ...names,
    ...(channel === "" ? {} : { channel: Number(channel) }),
    ...(min_seconds === 0 ? {} : { min_seconds }),
  };
}

type Tell = (change: (before: Pick<Live, "error" | "updatedAt" | "view">) => typeof before) => void;

/** Asks again and again until the reader leaves: one answer lasts for a minute at most. */
async function follow(
  input: InputOf<typeof streamLive>,
  tell: Tell,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    let waitMs = againMs;
    try {
      await callEvents(
        streamLive,
        input,
        (view) => tell(() => ({ view, error: null, updatedAt: Date.now() })),
        signal,
      );
    } catch (error) {
      if (signal.aborted) return;
      waitMs = afterFailureMs;
      const failure = error instanceof Error ? error : new Error(String(error));
      tell((before) => ({ ...before, error: failure }));
    }
    await new Promise((resolve) => setTimeout(resolve, waitMs));
  }
}

/** Which running calls are to be stopped. */
export type StopScope = Omit<InputOf<typeof stopLive>, "reason">;

export function useStop() {
  return useMutation({
    mutationFn: async (input: InputOf<typeof stopLive>) => await call(stopLive, input),
  });
}
