import { useNavigate } from "@tanstack/react-router";
import type { ShortUser } from "@tollgate/contract/endpoints/users.ts";
import { useCallback, useEffect } from "react";
import { onSignInElsewhere } from "#api/session.ts";
import { below } from "#page/base-path.ts";

/**
 * Returns the function that opens the screen to show after a sign-in. It runs by itself when the
 * user signs in in another tab or in a provider's window, so that this tab goes on, too.
 *
 * @param addressOf one of the functions of `widgets/sign-in/landing.ts`.
 */
export function useGoOn(
  addressOf: (user: ShortUser) => string | Promise<string>,
): (user: ShortUser) => Promise<void> {
  const navigate = useNavigate();
  const goOn = useCallback(
    async (user: ShortUser) => {
      await navigate({ href: below(await addressOf(user)), replace: true });
    },
    [navigate, addressOf],
  );
  useEffect(() => onSignInElsewhere((user) => void goOn(user)), [goOn]);
  return goOn;
}
