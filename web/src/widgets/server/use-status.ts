import { useSyncExternalStore } from "react";
import type { Status } from "@tollgate/contract/status.ts";
import type { ShortUser } from "@tollgate/contract/users.ts";
import { sessionStore } from "#api/session.ts";
import { type StatusState, statusStore } from "#api/status.ts";

/** The signed-in user; null: nobody. */
export function useSession(): ShortUser | null {
  return useSyncExternalStore(sessionStore.subscribe, sessionStore.read);
}

export function useStatusState(): StatusState {
  return useSyncExternalStore(statusStore.subscribe, statusStore.read);
}

/** Whether this is an installation for its own people: whatever concerns payment is hidden. */
export function useSelfUse(): boolean {
  return useStatus()?.self_use_mode_enabled === true;
}

/** Undefined until `/api/status` has answered; screens are drawn without it. */
export function useStatus(): Status | undefined {
  const state = useStatusState();
  return state.kind === "ready" ? state.status : undefined;
}
