/** Reads sessions and access tokens from requests; starts and ends sessions. */

import { keptLanguage } from "@tollgate/contract/words/languages.ts";
import { hashText, type Secrets } from "#base/secrets.ts";
import type { Logger } from "#base/logger.ts";
import { sessionCookie } from "#http/cookie.ts";
import type { Identity } from "#http/guard.ts";
import { actorOf } from "#modules/audit/audit.ts";
import { openDeviceMarks } from "./device-marks.ts";
import { accessTokenKind, seenStepMs, sessionLimits, type Sessions } from "./sessions.ts";
import type { Bearer } from "./sessions.repo.ts";
import type { SessionStore } from "./sessions.store.ts";
import { openTours, type Tours } from "./tours.ts";

type SessionDeps = {
  readonly store: SessionStore;
  readonly secrets: Secrets;
  /** Unix milliseconds. */
  readonly now: () => number;
  /** Returns a new session id: 256 random bits, in characters that are allowed in a cookie. */
  readonly newSessionId: () => string;
  readonly log: Logger;
  /** Lets the relay's configuration have a user, who may have no key. */
  readonly keepUser: (userId: number) => Promise<unknown>;
};

export function openSessions(deps: SessionDeps): Sessions {
  const { store, secrets, now, newSessionId } = deps;
  const devices = openDeviceMarks({ secrets, newDeviceId: newSessionId, now });
  const tours = openTours(secrets, newSessionId, now);
  return {
    async authenticate(request) {
      const found =
        (await findBySession(deps, request, tours)) ?? (await findByAccessToken(deps, request));
      if (found.kind === "known") await deps.keepUser(found.userId);
      return found;
    },

    async start(user, caller, action, { secondFactor = false, givenPassword = false } = {}) {
      const id = newSessionId();
      const nowMs = now();
      const { lastsMs } = sessionLimits(user.role);
      await store.startSession({
        id: hashText(id),
        actor: { ...actorOf(caller), userId: user.id, username: user.username },
        userAgent: caller.userAgent ?? "",
        language: caller.language ?? "",
        lastsMs,
        replaces: caller.sessionId,
        action,
        factorAtMs: secondFactor ? nowMs : 0,
        byGivenPassword: givenPassword,
        nowMs,
      });
      return [sessionCookie.keep(id, lastsMs), devices.keep(caller, user.id)];
    },

    findDevice: devices.find,

    hasGivenPassword: async ({ sessionId }) =>
      sessionId !== null && (await store.hasGivenPassword(sessionId)),

    async end({ sessionId }) {
      if (sessionId !== null) await store.endSession(sessionId);
      return sessionCookie.forget;
    },

    tours,

    startTour() {
      const started = tours.start();
      if (started === null) return null;
      const { id, lastsMs, user } = started;
      return { user, setCookie: sessionCookie.keep(id, lastsMs) };
    },
  };
}

async function findBySession(
  { store, now, log }: SessionDeps,
  request: Request,
  tours: Tours,
): Promise<Identity | undefined> {
  const id = sessionCookie.read(request);
  if (id === undefined) return undefined;
  const visitor = tours.find(id);
  if (visitor !== undefined) return visitor;
  const sessionId = hashText(id);
  const nowMs = now();
  const found = await store.findSession(sessionId, nowMs);
  if (found === undefined) return undefined;
  if (nowMs - found.seen_at >= seenStepMs) {
    // The write is not awaited, so that the request does not wait for the database writer. If it
    // fails, the next request tries again.
    store.seeSession(sessionId, nowMs).catch((error: unknown) => {
      log.warn({ err: error }, "session not marked as seen");
    });
  }
  return knownBy(found, sessionId);
}

function knownBy(bearer: Bearer, sessionId: string | null): Identity {
  const { id: userId, username, role, status, password_expired } = bearer;
  const passwordExpired = password_expired !== 0;
  const language = keptLanguage.safeParse(bearer.language).data ?? "";
  return { kind: "known", userId, username, role, status, sessionId, passwordExpired, language };
}

/**
 * Finds the user by an access token in the header `Authorization: <token>` or `Authorization:
 * Bearer <token>`.
 */
async function findByAccessToken(
  { store, secrets }: SessionDeps,
  request: Request,
): Promise<Identity> {
  const sent = request.headers.get("authorization") ?? "";
  const token = sent.replace(/^bearer\s+/i, "").trim();
  if (token === "") return { kind: "nobody" };
  const found = await store.findAccessToken(secrets.lookup(accessTokenKind, token));
  if (found === undefined) return { kind: "unknown-token" };
  return knownBy(found, null);
}
