/**
 * Visitors who look around in a demo. A tour is a session cookie that proves itself: it has its end
 * and a keyed hash, and no row, so that any number of visitors end no session of root's.
 */

import { role, type ShortUser, userStatus } from "@tollgate/contract/endpoints/users.ts";
import { hashText, sameText, type Secrets } from "#base/secrets.ts";
import type { KnownIdentity } from "#http/guard.ts";
import { openVeil } from "./tour-veil.ts";

/** The kind of the keyed hash in a tour's cookie, and the beginning of the cookie. */
const kind = "demo-tour";

/** The kind of the keyed hash that stands for the name of another visitor. */
const nameKind = "demo-tour-name";

/** How many hex digits of it are shown. */
const markLength = 4;

/** How long a tour lasts, in milliseconds. */
const tourMs = 2 * 3_600_000;

/** As whom visitors look around. */
type TourHost = { readonly userId: number; readonly username: string };

export type Tours = {
  /** Opens tours to visitors: whom they look as. */
  offer(host: TourHost): void;
  isOffered(): boolean;
  /** Begins a tour; null: there are none. */
  start(): { readonly id: string; readonly lastsMs: number; readonly user: ShortUser } | null;
  /** Returns who has this cookie; undefined: it is not that of a tour, or the tour is over. */
  find(id: string): KnownIdentity | undefined;
};

/**
 * @param newId returns a random text.
 * @param now Unix milliseconds.
 */
export function openTours(
  secrets: Pick<Secrets, "lookup">,
  newId: () => string,
  now: () => number,
): Tours {
  let host: TourHost | null = null;
  // The demo's own accounts are made up, and their names begin with this.
  const isOurs = (name: string): boolean => name.startsWith("demo-") || name === host?.username;
  const veil = openVeil({
    isOurs: (name) => isOurs(name) || name.endsWith("(made up)"),
    markOf: (name) => secrets.lookup(nameKind, name).slice(0, markLength),
  });
  const group = "default";
  const status = userStatus.enum.enabled;
  return {
    offer: (given) => void (host = given),
    isOffered: () => host !== null,

    start() {
      if (host === null) return null;
      const { userId, username } = host;
      const facts = `${now() + tourMs}.${newId()}`;
      const user = { id: userId, username, display_name: username, role: role.enum.root, status };
      return {
        id: `${kind}.${facts}.${secrets.lookup(kind, facts)}`,
        lastsMs: tourMs,
        user: { ...user, group, only_reads: true },
      };
    },

    find(id) {
      if (host === null || !id.startsWith(`${kind}.`)) return undefined;
      const [, ends = "", nonce = "", mark = ""] = id.split(".");
      if (!sameText(mark, secrets.lookup(kind, `${ends}.${nonce}`))) return undefined;
      if (Number(ends) <= now()) return undefined;
      const known = { kind: "known", ...host, role: role.enum.root, status } as const;
      return { ...known, sessionId: hashText(id), onlyReads: { veil } };
    },
  };
}
