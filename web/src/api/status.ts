/**
 * The server's public status: read when the console starts, and kept in the browser, so that the
 * next start can show it immediately.
 */

import {
  readStatus,
  type Status,
  status as statusSchema,
} from "@tollgate/contract/endpoints/status.ts";
import { storageKey } from "#page/base-path.ts";
import { call } from "./call.ts";
import { openStore } from "./store.ts";

export type StatusState =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly error: Error }
  /** `error` is set if the last read of the status failed and `status` is an earlier one. */
  | { readonly kind: "ready"; readonly status: Status; readonly error: Error | null };

/** Key in local storage for the last status. */
const statusKey = storageKey("status");

export const statusStore = openStore<StatusState>(readKept());

/** Reads the status from the server. Never throws: the store holds the error. */
export async function loadStatus(): Promise<void> {
  try {
    const status = await call(readStatus, {});
    localStorage.setItem(statusKey, JSON.stringify(status));
    statusStore.write({ kind: "ready", status, error: null });
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    const before = statusStore.read();
    statusStore.write(before.kind === "ready" ? { ...before, error } : { kind: "failed", error });
  }
}

function readKept(): StatusState {
  if (typeof localStorage === "undefined") return { kind: "loading" };
  try {
    const kept = statusSchema.safeParse(JSON.parse(localStorage.getItem(statusKey) ?? "null"));
    if (kept.success) return { kind: "ready", status: kept.data, error: null };
  } catch {
    // The stored text is not JSON: it counts as no stored status.
  }
  return { kind: "loading" };
}
