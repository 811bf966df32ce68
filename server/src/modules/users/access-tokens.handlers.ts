import { createAccessToken } from "@tollgate/contract/endpoints/sign-in.ts";
import type { Secrets } from "#base/secrets.ts";
import { type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import { accessTokenKind } from "#modules/sessions/sessions.ts";
import type { UserStore } from "./users.store.ts";

type AccessTokenDeps = {
  readonly store: Pick<UserStore, "setAccessToken">;
  readonly secrets: Secrets;
  /** Makes a new access token: 32 letters and digits, 190 random bits. */
  readonly newAccessToken: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/**
 * Handles requests for a new access token, with which programs call the console API as the user.
 */
export function accessTokenHandlers(deps: AccessTokenDeps): Handler[] {
  const { store, secrets, newAccessToken, now } = deps;
  return [
    handle(createAccessToken, async (_, caller) => {
      const token = newAccessToken();
      const lookup = secrets.lookup(accessTokenKind, token);
      await store.setAccessToken(actorOf(caller), lookup, now());
      return token;
    }),
  ];
}
