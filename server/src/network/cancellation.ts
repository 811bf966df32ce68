/**
 * Tells a running attempt, at most once, that its answer is no longer wanted. An `AbortSignal` can
 * do the same, but making one for every call costs measurable time, and few calls are cancelled.
 */
export type Cancellation = {
  isCancelled: boolean;
  /** What has to be cancelled; null: nothing is running. */
  running: { cancel(): void } | null;
};

export function newCancellation(): Cancellation {
  return { isCancelled: false, running: null };
}

export function cancel(cancellation: Cancellation | null): void {
  if (cancellation === null || cancellation.isCancelled) return;
  cancellation.isCancelled = true;
  cancellation.running?.cancel();
}
