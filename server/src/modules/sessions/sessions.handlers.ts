/** The console API of a user's own sessions. */

import * as contract from "@tollgate/contract/endpoints/sessions.ts";
import { logout } from "@tollgate/contract/endpoints/sign-in.ts";
import { sessionCookie } from "#http/cookie.ts";
import { type Handler, handle, reply } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { Sessions } from "./sessions.ts";
import type { SessionStore } from "./sessions.store.ts";

type SessionDeps = {
  readonly store: SessionStore;
  readonly sessions: Sessions;
  /** Unix milliseconds. */
  readonly now: () => number;
};

export function sessionHandlers({ store, sessions, now }: SessionDeps): Handler[] {
  return [
    handle(logout, async (_, caller) =>
      reply(undefined, { setCookie: await sessions.end(caller) }),
    ),

    handle(contract.listSessions, (_, { userId, role, sessionId }) =>
      store.listOwnSessions({ userId, role, sessionId, nowMs: now() }),
    ),

    handle(contract.endSession, async ({ id }, caller) => {
      const ended = await store.endOwnSession(id, { actor: actorOf(caller), nowMs: now() });
      if (ended !== caller.sessionId) return undefined;
      return reply(undefined, { setCookie: sessionCookie.forget });
    }),

    handle(contract.endOtherSessions, (_, caller) =>
      store.endOtherSessions(caller.sessionId, { actor: actorOf(caller), nowMs: now() }),
    ),
  ];
}
