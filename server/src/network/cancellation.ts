/**
 * Says once that an answer is no longer wanted. An `AbortSignal` can do that too, at a price that
 * shows when every call has one and hardly any uses it.
 */
export type Cancellation = { isCancelled: boolean; onCancel: (() => void) | null };

export function newCancellation(): Cancellation {
  return { isCancelled: false, onCancel: null };
}

export function cancel(cancellation: Cancellation | null): void {
  if (cancellation === null || cancellation.isCancelled) return;
  cancellation.isCancelled = true;
  cancellation.onCancel?.();
}
