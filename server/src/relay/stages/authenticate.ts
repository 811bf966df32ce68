/** Who calls: from the key a client program presents to token and owner. */

import type { RateRule } from "#base/rate-limit.ts";
import { unixSeconds } from "#base/clock.ts";
import { addressBlock } from "#base/ip-ranges.ts";
import type { ClientRequest } from "#http/client-request.ts";
import type { RelayDeps } from "#relay/deps.ts";
import {
  addressNotAllowed,
  channelNotForUsers,
  noKey,
  tokenExhausted,
  tokenExpired,
  tokenUnusable,
  tooManyUnknownKeys,
  unknownKey,
  userBanned,
} from "#relay/answers/refusals.ts";
import type { TokenView, UserView } from "#relay/snapshot.ts";

/** What a call is made on. */
export type Credential = {
  readonly token: TokenView;
  readonly user: UserView;
  /** An administrator named the channel in the key; null: the relay chooses. */
  readonly pinnedChannelId: number | null;
};

/** What of a request may hold a key. */
type KeyBearer = Pick<ClientRequest, "headers" | "url">;

type AuthenticateDeps = Pick<RelayDeps, "limits" | "lookupOf" | "markToken" | "now" | "snapshot">;

/** Headers a key may come in, in the order they are asked. Clients of all formats know one. */
const keyHeaders = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];

/** No key we ever made is longer; what is needs no lookup. */
const keyLengthMax = 256;

/** From this role on a key may pin the channel. */
const adminRole = 10;

const unknownKeys: RateRule = { name: "relay-unknown-key", windowMs: 60_000, max: 60 };

/**
 * Finds token and owner and checks both, in the order of the specification's table.
 *
 * @throws CallRefusal, also as a rejection: a promise is returned for unknown keys only.
 */
export function authenticate(
  deps: AuthenticateDeps,
  request: KeyBearer,
  clientIp: string,
): Credential | Promise<Credential> {
  const presented = findKey(request);
  if (presented === "") throw noKey();
  const dash = presented.indexOf("-");
  const key = dash < 0 ? presented : presented.slice(0, dash);
  const token =
    key === "" || key.length > keyLengthMax
      ? undefined
      : deps.snapshot.findToken(deps.lookupOf(key));
  if (token === undefined) return refuseUnknown(deps, clientIp);
  checkToken(deps, token);
  const user = deps.snapshot.findUser(token.userId);
  if (user === undefined || user.status !== 1) throw userBanned();
  if (dash >= 0 && user.role < adminRole) throw channelNotForUsers();
  if (token.allowsIp !== null && !token.allowsIp(clientIp)) throw addressNotAllowed();
  return { token, user, pinnedChannelId: dash < 0 ? null : channelIdOf(presented.slice(dash + 1)) };
}

function findKey(request: KeyBearer): string {
  for (const name of keyHeaders) {
    const value = request.headers.get(name);
    if (value !== null && value !== "") return plainKey(value);
  }
  const query = request.url.indexOf("?");
  if (query < 0) return "";
  return plainKey(new URLSearchParams(request.url.slice(query)).get("key") ?? "");
}

/** Without `Bearer` and `sk-`, both of which clients leave out at times. */
function plainKey(value: string): string {
  const bare = value.replace(/^bearer(?:\s+|$)/i, "").trim();
  return bare.startsWith("sk-") ? bare.slice(3) : bare;
}

/** −1, which is no channel's, for what is no number. */
function channelIdOf(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : -1;
}

/** Guessing is slowed down per address; keys that are known are not affected by it. */
async function refuseUnknown(deps: AuthenticateDeps, clientIp: string): Promise<never> {
  const { allowed, retryAfterMs } = await deps.limits.take(unknownKeys, addressBlock(clientIp));
  throw allowed ? unknownKey() : tooManyUnknownKeys(Math.ceil(retryAfterMs / 1_000));
}

function checkToken(deps: AuthenticateDeps, token: TokenView): void {
  if (token.status === 4) throw tokenExhausted(token.masked);
  if (token.status === 3) throw tokenExpired();
  if (token.expiredTime !== -1 && token.expiredTime <= unixSeconds(deps.now())) {
    if (token.status === 1) deps.markToken(token.id, 3);
    throw tokenExpired();
  }
  if (token.status !== 1) throw tokenUnusable();
}

/** Keys that are called with come again; each keeps its keyed hash for a while. */
const lookupsMax = 1_000;

export function rememberLookups(lookupOf: RelayDeps["lookupOf"]): RelayDeps["lookupOf"] {
  const known = new Map<string, string>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    if (known.size >= lookupsMax) known.clear();
    const made = lookupOf(key);
    known.set(key, made);
    return made;
  };
}
