import * as contract from "@tollgate/contract/sessions.ts";
import type { SessionCookie } from "#http/cookie.ts";
import { type Handler, handle, reply } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { SignInStore } from "./sign-in.store.ts";

export type OwnSessionDeps = {
  readonly store: SignInStore;
  readonly cookie: SessionCookie;
  /** Unix milliseconds. */
  readonly now: () => number;
};

export function ownSessionHandlers({ store, cookie, now }: OwnSessionDeps): Handler[] {
  return [
    handle(contract.listSessions, (_, { userId, role, sessionId }) =>
      store.listOwnSessions({ userId, role, sessionId, nowMs: now() }),
    ),

    handle(contract.endSession, async ({ id }, caller) => {
      const ended = await store.endOwnSession(id, { actor: actorOf(caller), nowMs: now() });
      if (ended !== caller.sessionId) return undefined;
      return reply(undefined, { setCookie: cookie.forget });
    }),

    handle(contract.endOtherSessions, (_, caller) =>
      store.endOtherSessions(caller.sessionId, { actor: actorOf(caller), nowMs: now() }),
    ),
  ];
}
