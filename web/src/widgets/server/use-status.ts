import { useSyncExternalStore } from "react";
import type { Status } from "@tollgate/contract/endpoints/status.ts";
import type { ShortUser } from "@tollgate/contract/endpoints/users.ts";
import { sessionStore } from "#api/session.ts";
import { type StatusState, statusStore } from "#api/status.ts";

/** Returns the signed-in user; null: nobody is signed in. */
export function useSession(): ShortUser | null {
  return useSyncExternalStore(sessionStore.subscribe, sessionStore.read);
}

export function useStatusState(): StatusState {
  return useSyncExternalStore(statusStore.subscribe, statusStore.read);
}

/**
 * Whether the server is in self-use mode, for one organisation's own people. The console then hides
 * everything about payment.
 */
export function useSelfUse(): boolean {
  return useStatus()?.self_use_mode_enabled === true;
}

/**
 * Returns the server's status; undefined until `/api/status` has answered. Screens are drawn
 * without waiting for it.
 */
export function useStatus(): Status | undefined {
  const state = useStatusState();
  return state.kind === "ready" ? state.status : undefined;
}
