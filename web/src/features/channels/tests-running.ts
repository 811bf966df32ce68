/**
 * The state of channel tests, by channel and model. It is kept outside the rows, so that a test
 * redraws one cell and not the table.
 */

import { useSyncExternalStore } from "react";

type TestState =
  | { readonly kind: "running" }
  | { readonly kind: "passed"; readonly seconds: number }
  | { readonly kind: "failed"; readonly message: string };

const states = new Map<string, TestState>();
const listeners = new Set<() => void>();

/** The key of a test; the empty model means the channel's test model. */
function keyOf(id: number, model: string): string {
  return `${id} ${model}`;
}

export function noteTest(id: number, model: string, state: TestState): void {
  states.set(keyOf(id, model), state);
  // The row shows the latest test, whatever its model.
  states.set(keyOf(id, ""), state);
  for (const listener of listeners) listener();
}

/** The latest test of a channel with a model, or with any; undefined: none since the page load. */
export function useTestState(id: number, model = ""): TestState | undefined {
  return useSyncExternalStore(subscribe, () => states.get(keyOf(id, model)));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
