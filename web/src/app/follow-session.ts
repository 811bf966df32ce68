import type { AnyRouter } from "@tanstack/react-router";
import { onSessionExpired, readSession, sessionStore } from "#api/session.ts";
import { forgetDrafts, keepOpenDrafts } from "#ui/form/draft.ts";
import { keepReturnAddress } from "#widgets/sign-in/return-address.ts";
import { forgetRecent } from "./palette/palette-recent.ts";
import { queryClient } from "./query-client.ts";

/**
 * Opens the sign-in screen after a 401, and this screen again after signing in. Another user finds
 * none of the data.
 */
export function followSession(router: AnyRouter): void {
  let userId = readSession()?.id ?? null;
  let lastUserId = userId;
  onSessionExpired(() => {
    keepOpenDrafts();
    queryClient.clear();
    keepReturnAddress(router.state.location.href, userId);
    userId = null;
    void router.navigate({ to: "/login", search: { expired: "true" }, replace: true });
  });
  sessionStore.subscribe(() => {
    const now = readSession()?.id ?? null;
    if (now === userId) return;
    // The same user finds the drafts again after a 401. Another user must not.
    if (now !== null && now !== lastUserId) {
      forgetDrafts();
      forgetRecent();
    }
    lastUserId = now ?? lastUserId;
    userId = now;
    queryClient.clear();
    // Somebody signed in or out, here or in another tab: check again who may see this screen.
    void router.invalidate();
  });
}
