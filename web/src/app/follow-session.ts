import type { AnyRouter } from "@tanstack/react-router";
import { onSessionExpired, readSession, sessionStore } from "#api/session.ts";
import { forgetDrafts, keepOpenDrafts } from "#ui/form/draft.ts";
import { keepReturnAddress } from "#widgets/sign-in/return-address.ts";
import { queryClient } from "./query-client.ts";

/** At a 401 the sign-in screen opens, which leads back here; of one user nothing stays for the next. */
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
    // After a 401 the same user finds the drafts again, another one must not.
    if (now !== null && now !== lastUserId) forgetDrafts();
    lastUserId = now ?? lastUserId;
    userId = now;
    queryClient.clear();
    // Signed in or out, here or in another tab: who may see this screen is asked again.
    void router.invalidate();
  });
}
