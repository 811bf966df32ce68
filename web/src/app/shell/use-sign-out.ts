import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { logout } from "@tollgate/contract/endpoints/sign-in.ts";
import { call, CallError } from "#api/call.ts";
import { keepSession, readSession } from "#api/session.ts";
import { forgetRecent } from "#app/palette/palette-recent.ts";
import { toastError } from "#ui/overlays/toast.ts";
import { takeReturnAddress } from "#widgets/sign-in/return-address.ts";

/** Returns the function that ends the session, on the server and in this browser. */
export function useSignOut(): () => Promise<void> {
  const navigate = useNavigate();
  return useCallback(async () => {
    try {
      await call(logout, {});
    } catch (error) {
      // Only the server can end the session; if it did not answer, the cookie stays valid. A 401
      // means that the session has already ended.
      if (!(error instanceof CallError) || error.status !== 401) {
        toastError(error);
        return;
      }
    }
    // Removes the session from this browser before leaving the screen; otherwise the screen's next
    // call would get a 401 and report an expired session.
    const id = readSession()?.id;
    keepSession(null);
    forgetRecent();
    await navigate({ to: "/login" });
    // Forgets the address to return to, so that the next sign-in does not lead back to this screen.
    if (id !== undefined) takeReturnAddress(id);
  }, [navigate]);
}
