import { useNavigate } from "@tanstack/react-router";
import type { ShortUser } from "@tollgate/contract/users.ts";
import { useCallback, useEffect } from "react";
import { onSignInElsewhere } from "#api/session.ts";
import { landingAddress } from "#widgets/sign-in/landing.ts";

/**
 * Returns the function that opens the screen to show after a sign-in. It runs by itself when the
 * user signs in in another tab or in a provider's window, so that this tab goes on, too.
 */
export function useGoOn(): (user: ShortUser) => Promise<void> {
  const navigate = useNavigate();
  const goOn = useCallback(
    async (user: ShortUser) => {
      await navigate({ href: await landingAddress(user), replace: true });
    },
    [navigate],
  );
  useEffect(() => onSignInElsewhere((user) => void goOn(user)), [goOn]);
  return goOn;
}
