/**
 * The states of channel tests, by channel and model. They are kept outside the rows, so that a test
 * redraws one cell and not the whole table.
 */

import { useSyncExternalStore } from "react";

type TestState =
  | { readonly kind: "running" }
  | { readonly kind: "passed"; readonly seconds: number }
  | { readonly kind: "failed"; readonly message: string };

const states = new Map<string, TestState>();
const listeners = new Set<() => void>();

/**
 * Returns the key under which a test's state is kept. An empty model stands for the latest test of
 * the channel with any model.
 */
function keyOf(id: number, model: string): string {
  return `${id} ${model}`;
}

export function noteTest(id: number, model: string, state: TestState): void {
  states.set(keyOf(id, model), state);
  // An entry without a model keeps the channel's latest test, which its row shows, whichever model
  // was tested.
  states.set(keyOf(id, ""), state);
  for (const listener of listeners) listener();
}

/**
 * Returns the state of the latest test of a channel, with this model or, by default, with any.
 * Undefined: there was none since the page was loaded.
 */
export function useTestState(id: number, model = ""): TestState | undefined {
  return useSyncExternalStore(subscribe, () => states.get(keyOf(id, model)));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
