/** The API calls of the home page. */

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { readHomePage } from "@tollgate/contract/endpoints/content.ts";
import {
  type DemoCall,
  listDemoCalls,
  readDemoCall,
} from "@tollgate/contract/endpoints/demo-calls.ts";
import { listOwnLogs, logType, type OwnLog } from "@tollgate/contract/endpoints/logs.ts";
import { type LogCharge, readLogCharge } from "@tollgate/contract/endpoints/log-charges.ts";
import { listTokens, revealToken, tokenStatus } from "@tollgate/contract/endpoints/tokens.ts";
import { call } from "#api/call.ts";
import { storageKey } from "#page/base-path.ts";
import { startOf } from "#widgets/server/request-time.ts";
import type { CallSource, PassedCall } from "./passed-call.ts";

/**
 * Key in local storage for the content that was read last. Other consoles of the one-api family use
 * the same key.
 */
export const homeContentKey = storageKey("home_page_content");

/**
 * Milliseconds for which a first visit shows an empty page while the content is being read; after
 * that, the default page.
 */
const waitMs = 300;

const staleMs = 60_000;

type HomeContent = {
  /** The content; empty: root wrote none; null: it is still being read. */
  readonly text: string | null;
  readonly error: Error | null;
  readonly retry: () => void;
};

/** The content of the home page; until the server has answered, what was read on the last visit. */
export function useHomeContent(): HomeContent {
  const [kept] = useState(() => (saysDefault() ? "" : localStorage.getItem(homeContentKey)));
  const isLate = useIsLate();
  const { data, error, refetch } = useQuery({
    queryKey: ["home-content"],
    queryFn: async ({ signal }) => {
      const text = await call(readHomePage, {}, signal);
      localStorage.setItem(homeContentKey, text);
      return text;
    },
    staleTime: staleMs,
  });
  const known = data ?? kept;
  return {
    text: known ?? (isLate || error !== null ? "" : null),
    error: data === undefined ? error : null,
    retry: () => void refetch(),
  };
}

/**
 * Whether the browser has been showing the default home page since before the console's code
 * arrived: the server did not say in index.html that root wrote one.
 */
function saysDefault(): boolean {
  return document.documentElement.dataset["home"] === "default";
}

function useIsLate(): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), waitMs);
    return () => clearTimeout(timer);
  }, []);
  return isLate;
}

/** The number of calls in the lane. */
export const passedMax = 8;

/** Fewer calls than this are read again soon, because a demo that starts makes some. */
const fewCalls = 6;

const soonMs = 1_500;

/** Milliseconds between two readings of the last calls. */
const readAgainMs: Readonly<Record<CallSource, number>> = {
  demo: 5_000,
  own: 10_000,
  recording: 0,
};

/** The last charged calls, newest first. A recording is not read. */
export function useLastCalls(source: CallSource, isPaused: boolean) {
  return useQuery({
    queryKey: ["home-calls", source],
    queryFn: async ({ signal }): Promise<PassedCall[]> => {
      if (source === "demo") return (await call(listDemoCalls, {}, signal)).map(passedOf);
      const input = { type: logType.enum.consumption, p: 1, page_size: passedMax };
      return (await call(listOwnLogs, input, signal)).items.map(passedOf);
    },
    enabled: source !== "recording",
    refetchInterval: ({ state }) => {
      if (isPaused) return false;
      const isFew = source === "demo" && (state.data?.length ?? 0) < fewCalls;
      return isFew ? soonMs : readAgainMs[source];
    },
  });
}

/** What the charge of a call was computed from. With `passed` null nothing is read. */
export function useCharge(source: CallSource, passed: PassedCall | null) {
  return useQuery({
    queryKey: ["home-charge", passed?.id],
    queryFn: async ({ signal }): Promise<LogCharge> => {
      if (passed?.charge) return passed.charge;
      return source === "demo"
        ? (await call(readDemoCall, { request_id: passed?.id ?? "" }, signal)).charge
        : await call(readLogCharge, { id: passed?.key ?? 0 }, signal);
    },
    enabled: passed !== null,
    staleTime: Number.POSITIVE_INFINITY,
  });
}

/**
 * Reads the row of the call that was just made; null: there is none. The row of a complete answer
 * is written before the answer's last byte.
 */
export async function readPassedCall(
  source: CallSource,
  requestId: string,
): Promise<PassedCall | null> {
  try {
    if (source === "demo") {
      const row = await call(readDemoCall, { request_id: requestId });
      return { ...passedOf(row), charge: row.charge };
    }
    const start_timestamp = startOf(requestId) ?? 0;
    const input = { request_id: requestId, start_timestamp, p: 1, page_size: 1 };
    const [row] = (await call(listOwnLogs, input)).items;
    return row === undefined ? null : passedOf(row);
  } catch {
    // The answer is shown; only its bill cannot be.
    return null;
  }
}

function passedOf(row: DemoCall | OwnLog): PassedCall {
  return {
    id: row.request_id,
    model: row.model_name,
    group: row.group,
    input: row.prompt_tokens,
    output: row.completion_tokens,
    quota: row.quota,
    charge: null,
    key: row.id,
  };
}

/** Whether the signed-in user has an API key; undefined: not read yet. */
export function useHasKey(isSignedIn: boolean): boolean | undefined {
  const { data } = useQuery({
    queryKey: ["home-key"],
    queryFn: async ({ signal }) => (await call(listTokens, { p: 0, size: 1 }, signal)).length > 0,
    enabled: isSignedIn,
    staleTime: staleMs,
  });
  return data;
}

/** Reads an API key of the signed-in user that can be used, with `sk-`; null: there is none. */
export async function readOwnKey(): Promise<string | null> {
  const tokens = await call(listTokens, { p: 0, size: 100 });
  const usable = tokens.find(({ status }) => status === tokenStatus.enum.enabled);
  if (usable === undefined) return null;
  const { key } = await call(revealToken, { id: usable.id });
  return key.startsWith("sk-") ? key : `sk-${key}`;
}
