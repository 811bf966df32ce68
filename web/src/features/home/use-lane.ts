/** The calls in the lane of the home page: those of the log, and the one that is being made. */

import { useEffect, useState } from "react";
import { passedMax, useLastCalls } from "./home.api.ts";
import type { CallSource, PassedCall } from "./passed-call.ts";
import { recordedCalls } from "./recording.ts";
import type { Trial } from "./use-trial.ts";

export type LaneEntry = {
  /** Stays the same while a call passes and after it. */
  readonly key: string;
  /** Null: the call is still passing. */
  readonly call: PassedCall | null;
};

/** Milliseconds between two calls of the recording. */
const recordedMs = 4_000;

/** Undefined: the calls are not read yet, or cannot be. */
export function useLane(
  source: CallSource,
  trial: Trial,
  isPaused: boolean,
): readonly LaneEntry[] | undefined {
  const { data } = useLastCalls(source, isPaused);
  const recorded = useRecorded(source === "recording" && !isPaused && trial.state !== "running");
  const calls = source === "recording" ? recorded : data;
  return calls === undefined ? undefined : laneOf(calls, trial);
}

/**
 * Puts the call that is being made before the others. Once the log has its row, the row stands
 * where the log has it.
 */
export function laneOf(calls: readonly PassedCall[], trial: Trial): LaneEntry[] {
  const key = `trial-${trial.turn}`;
  const own = trial.call;
  const entries = calls.map((call): LaneEntry => ({
    key: call.id === own?.id ? key : call.id,
    call,
  }));
  const isListed = entries.some((entry) => entry.key === key);
  const isShown = trial.state === "running" || (own !== null && !isListed);
  return (isShown ? [{ key, call: own }, ...entries] : entries).slice(0, passedMax);
}

/** The recorded calls; while `isMoving`, the oldest becomes the newest every few seconds. */
function useRecorded(isMoving: boolean): readonly PassedCall[] {
  const [calls, setCalls] = useState(recordedCalls);
  useEffect(() => {
    if (!isMoving || matchMedia("(prefers-reduced-motion: reduce)").matches) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) setCalls((now) => [...now.slice(-1), ...now.slice(0, -1)]);
    }, recordedMs);
    return () => clearInterval(timer);
  }, [isMoving]);
  return calls;
}
