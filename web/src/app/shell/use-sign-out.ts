import { useNavigate } from "@tanstack/react-router";
import { useCallback } from "react";
import { logout } from "@tollgate/contract/sign-in.ts";
import { call, CallError } from "#api/call.ts";
import { keepSession, readSession } from "#api/session.ts";
import { toastError } from "#ui/overlays/toast.ts";
import { takeReturnAddress } from "#widgets/sign-in/return-address.ts";

/** Ends the session on the server and here. */
export function useSignOut(): () => Promise<void> {
  const navigate = useNavigate();
  return useCallback(async () => {
    try {
      await call(logout, {});
    } catch (error) {
      // Only an answer of the server ends the session there; without one the cookie lives on.
      if (!(error instanceof CallError) || error.status !== 401) {
        toastError(error);
        return;
      }
    }
    // In this order: with a session left, what the screen asks next would be a 401.
    const id = readSession()?.id;
    keepSession(null);
    await navigate({ to: "/login" });
    // Nobody comes back to a screen they signed out on.
    if (id !== undefined) takeReturnAddress(id);
  }, [navigate]);
}
