import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { logout } from "@tollgate/contract/sign-in.ts";
import { call, CallError } from "#api/call.ts";
import { keepSession, readSession } from "#api/session.ts";
import { forgetRecent } from "#app/palette/palette-recent.ts";
import { toastError } from "#ui/overlays/toast.ts";
import { takeReturnAddress } from "#widgets/sign-in/return-address.ts";

/** Ends the session on the server and in this browser. */
export function useSignOut(): () => Promise<void> {
  const navigate = useNavigate();
  return useCallback(async () => {
    try {
      await call(logout, {});
    } catch (error) {
      // Only the server can end the session. While it does not answer, the cookie stays valid.
      if (!(error instanceof CallError) || error.status !== 401) {
        toastError(error);
        return;
      }
    }
    // The session is removed before leaving: otherwise the screen's next call answers 401.
    const id = readSession()?.id;
    keepSession(null);
    forgetRecent();
    await navigate({ to: "/login" });
    // After signing out, the next sign-in does not return to this screen.
    if (id !== undefined) takeReturnAddress(id);
  }, [navigate]);
}
