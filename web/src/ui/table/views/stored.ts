/** Stores the settings of tables in local storage, each table under its own id. */

import { useSyncExternalStore } from "react";
import type { z } from "zod";
import { storageKey } from "#page/base-path.ts";

type Stored<Value> = {
  readonly read: (id: string) => Value;
  readonly write: (id: string, value: Value) => void;
  /**
   * A hook with the same result as `read`; it draws the component again whenever the value changes.
   */
  readonly use: (id: string) => Value;
};

const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    removeEventListener("storage", listener);
  };
}

/**
 * Opens a kind of setting, stored under `<prefix>:<id>`. The schema must accept any input, because
 * values of older versions may be stored.
 */
export function openStored<Value>(prefix: string, schema: z.ZodType<Value>): Stored<Value> {
  const known = new Map<string, { readonly text: string | null; readonly value: Value }>();
  const keyOf = (id: string): string => storageKey(`${prefix}:${id}`);
  const read = (id: string): Value => {
    const text = localStorage.getItem(keyOf(id));
    const last = known.get(id);
    if (last !== undefined && last.text === text) return last.value;
    const value = schema.parse(parseJson(text));
    known.set(id, { text, value });
    return value;
  };
  return {
    read,
    write(id, value) {
      localStorage.setItem(keyOf(id), JSON.stringify(value));
      for (const listener of listeners) listener();
    },
    use: (id) => useSyncExternalStore(subscribe, () => read(id)),
  };
}

/** Parses a stored text; null: it is absent or not JSON. */
function parseJson(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
