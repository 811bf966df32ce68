import type { AnyRouter } from "@tanstack/react-router";
import { onSessionExpired, readExpiredUserId, readSession, sessionStore } from "#api/session.ts";
import { forgetDrafts, keepOpenDrafts } from "#ui/form/draft.ts";
import { keepReturnAddress } from "#widgets/sign-in/return-address.ts";
import { forgetRecent } from "./palette/palette-recent.ts";
import { queryClient } from "./query-client.ts";

/**
 * Keeps the console in step with the session. When the session expires, it opens the sign-in screen, and after
 * signing in the screen that the user was on. All cached data is dropped when the user changes.
 *
 * @returns the function that stops following
 */
export function followSession(router: AnyRouter): () => void {
  let userId = readSession()?.id ?? null;
  // After a reload of the sign-in screen, the user whose session expired still gets the drafts back.
  let lastUserId = userId ?? readExpiredUserId();
  const ignoreExpiry = onSessionExpired(() => {
    keepOpenDrafts();
    queryClient.clear();
    keepReturnAddress(router.state.location.href, userId);
    userId = null;
    void router.navigate({ to: "/login", search: { expired: "true" }, replace: true });
  });
  const ignoreSession = sessionStore.subscribe(() => {
    const now = readSession()?.id ?? null;
    if (now === userId) return;
    // Removes the drafts when a different user signs in. The same user gets them back after a 401.
    if (now !== null && now !== lastUserId) {
      forgetDrafts();
      forgetRecent();
    }
    lastUserId = now ?? lastUserId;
    userId = now;
    queryClient.clear();
    // A user signed in or out, here or in another tab: the router checks again who may see this
    // screen.
    void router.invalidate();
  });
  return () => {
    ignoreExpiry();
    ignoreSession();
  };
}
