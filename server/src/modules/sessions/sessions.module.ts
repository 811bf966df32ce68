/** Sessions, from cookie to user. */

import { defineModule, type Given } from "#modules/module.ts";
import { openSessions } from "./open-sessions.ts";
import { sessionHandlers } from "./sessions.handlers.ts";
import type { SessionStore } from "./sessions.store.ts";

/** Length of a session id in characters: 256 random bits. */
const sessionIdLength = 43;

export const sessionsModule = defineModule({
  needs: [],
  open({ store, secrets, clock, random, log, snapshot }: Given<SessionStore>) {
    const { now } = clock;
    const newSessionId = (): string => random.text(sessionIdLength);
    const sessions = openSessions({
      store,
      secrets,
      now,
      newSessionId,
      log,
      keepUser: snapshot.readUser,
    });
    return { handlers: sessionHandlers({ store, sessions, now }), face: sessions };
  },
});
