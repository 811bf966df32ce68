/** Authenticates a call: finds the token of its key and the token's owner. */

import type { CallRefusal } from "#relay/call/call-refusal.ts";
import type { Credential } from "#relay/call/facts.ts";
import type { RateRule } from "#base/rate-limit.ts";
import { unixSeconds } from "#base/clock.ts";
import { addressBlock } from "#base/ip-ranges.ts";
import type { ClientRequest } from "#http/client-request.ts";
import type { RelayDeps } from "#relay/deps.ts";
import {
  addressDenied,
  addressNotAllowed,
  channelNotForUsers,
  keyNotInQuery,
  keyReplaced,
  noKey,
  storeUnavailable,
  tokenExhausted,
  tokenExpired,
  tokenUnusable,
  tooManyUnknownKeys,
  twoKeys,
  unknownKey,
  userBanned,
  userMoving,
} from "#relay/call/refusals.ts";
import { movingStatus, type TokenView, type UserView } from "#ports/snapshot.ts";

/** The parts of a request that may contain the key. */
export type KeyBearer = Pick<ClientRequest, "headers" | "url"> & {
  /** The keys in places that only one protocol has. */
  readonly alsoKeys?: readonly string[];
};

type AuthenticateDeps = Pick<
  RelayDeps,
  "adoptKey" | "hashedLookupOf" | "limits" | "lookupOf" | "markToken" | "now" | "snapshot"
>;

/**
 * Headers that may contain the key, in the order they are read. Clients of each format use one of
 * them.
 */
const keyHeaders = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];

/** The gateway never issued or imported a longer key, so longer ones are not looked up. */
const keyLengthMax = 256;

/** The lowest role of users who may name a channel in the key. */
const adminRole = 10;

const unknownKeys: RateRule = { name: "relay-unknown-key", windowMs: 60_000, max: 60 };

/**
 * Finds the token and its owner and checks both. The order of the checks is fixed, because it
 * decides which refusal a client gets.
 *
 * @param queryToo whether the key may be in the query.
 * @throws CallRefusal, also as a rejection. Only keys that are not in memory make it return a
 *   promise.
 */
export function authenticate(
  deps: AuthenticateDeps,
  request: KeyBearer,
  clientIp: string,
  queryToo: boolean,
): Credential | Promise<Credential> {
  return judgeKey(deps, findKey(request, queryToo), clientIp);
}

/**
 * Judges the key that was found in a request, and its owner: the second part of `authenticate`.
 *
 * @param spentToo whether an exhausted token is accepted as well.
 * @param read what the database has of the key; null: it was not asked.
 */
export function judgeKey(
  deps: AuthenticateDeps,
  presented: string,
  clientIp: string,
  spentToo = false,
  read: ReadKey | null = null,
): Credential | Promise<Credential> {
  if (presented === "") throw noKey();
  let dash = presented.indexOf("-");
  // An imported key may have dashes of its own, so such a key is looked up whole first.
  let token = read === null ? find(deps, presented) : read.whole;
  if (token !== undefined) dash = -1;
  else if (dash > 0) token = read === null ? find(deps, presented.slice(0, dash)) : read.part;
  const isHashed = token === undefined;
  if (token === undefined) {
    token = read === null ? findHashed(deps, presented) : read.hashed;
    dash = -1;
  }
  if (token === null) return readAndJudge(deps, presented, clientIp, spentToo);
  if (token === undefined) return refuseUnknown(deps, clientIp);
  checkToken(deps, token, spentToo);
  const user = deps.snapshot.findUser(token.userId);
  if (user === undefined || user.status !== 1) throw userRefused(user);
  if (dash >= 0 && user.role < adminRole) throw channelNotForUsers();
  if (token.allowsIp !== null && !token.allowsIp(clientIp)) throw addressNotAllowed();
  if (token.deniesIp !== null && token.deniesIp(clientIp)) throw addressDenied();
  if (isHashed) deps.adoptKey(token, presented);
  return { token, user, pinnedChannelId: dash < 0 ? null : channelIdOf(presented.slice(dash + 1)) };
}

function find({ snapshot, lookupOf }: AuthenticateDeps, key: string): TokenView | null | undefined {
  return key.length > keyLengthMax ? undefined : snapshot.findToken(lookupOf(key));
}

/** What the database has of a key: the token of all of it, of its part before the first dash, of its hash. */
type ReadKey = {
  readonly whole: TokenView | undefined;
  readonly part: TokenView | undefined;
  readonly hashed: TokenView | undefined;
};

/** Judges a key whose token may be in the database alone. */
async function readAndJudge(
  deps: AuthenticateDeps,
  presented: string,
  clientIp: string,
  spentToo: boolean,
): Promise<Credential> {
  if (presented.length > keyLengthMax) return await refuseUnknown(deps, clientIp);
  const whole = await read(deps, deps.lookupOf(presented));
  const dash = presented.indexOf("-");
  // Most keys are found as a whole, so the others are read only where that was nothing.
  const [part, hashed] =
    whole === undefined
      ? await Promise.all([
          dash > 0 ? read(deps, deps.lookupOf(presented.slice(0, dash))) : undefined,
          read(deps, deps.hashedLookupOf(presented)),
        ])
      : [];
  return await judgeKey(deps, presented, clientIp, spentToo, { whole, part, hashed });
}

/** @throws CallRefusal if the database cannot be asked. */
async function read(
  { snapshot }: AuthenticateDeps,
  lookup: string,
): Promise<TokenView | undefined> {
  return await snapshot.readToken(lookup).catch(() => {
    throw storeUnavailable();
  });
}

/** Says why a user may not call: for good, or only until the user has moved here. */
export function userRefused(user: UserView | undefined): CallRefusal {
  return user?.status === movingStatus ? userMoving() : userBanned();
}

/** Finds a token by the hash of its key, as gateways keep it that do not keep keys themselves. */
function findHashed(deps: AuthenticateDeps, key: string): TokenView | null | undefined {
  const { snapshot, hashedLookupOf } = deps;
  return key.length > keyLengthMax ? undefined : snapshot.findToken(hashedLookupOf(key));
}

/**
 * Returns the key of a request; empty: it has none. Two different keys are refused, because a proxy
 * in front of the gateway may have checked the one that the gateway does not use.
 *
 * @throws CallRefusal
 */
function findKey({ headers, url, alsoKeys }: KeyBearer, queryToo: boolean): string {
  let found = "";
  for (const name of keyHeaders) found = joinKeys(found, headers.get(name));
  if (alsoKeys !== undefined) for (const key of alsoKeys) found = joinKeys(found, key);
  const query = url.indexOf("?");
  if (query < 0) return found;
  const inHeaders = found;
  for (const value of new URLSearchParams(url.slice(query)).getAll("key")) {
    found = joinKeys(found, value);
  }
  if (inHeaders === "" && found !== "" && !queryToo) throw keyNotInQuery();
  return found;
}

function joinKeys(found: string, value: string | null): string {
  if (value === null || value === "") return found;
  const key = plainKey(value);
  if (key === "") return found;
  if (found !== "" && found !== key) throw twoKeys();
  return key;
}

/** How nearly all clients write the key. */
const usualStart = "Bearer sk-";

/** Removes the prefixes `Bearer` and `sk-`; some clients leave out either of them. */
export function plainKey(value: string): string {
  if (value.startsWith(usualStart)) return value.slice(usualStart.length).trim();
  const bare = value.replace(/^bearer(?:\s+|$)/i, "").trim();
  return bare.startsWith("sk-") ? bare.slice(3) : bare;
}

/**
 * Reads the channel id that follows the key. Anything but a number gives −1, which no channel has.
 */
function channelIdOf(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : -1;
}

/**
 * Refuses an unknown key, and limits by client address how many may be tried. Valid keys from the
 * same address are not affected.
 */
async function refuseUnknown(deps: AuthenticateDeps, clientIp: string): Promise<never> {
  const { allowed, retryAfterMs } = await deps.limits.take(unknownKeys, addressBlock(clientIp));
  throw allowed ? unknownKey() : tooManyUnknownKeys(Math.ceil(retryAfterMs / 1_000));
}

function checkToken(deps: AuthenticateDeps, token: TokenView, spentToo: boolean): void {
  const { keyEndsAt } = token;
  if (keyEndsAt !== 0 && keyEndsAt <= unixSeconds(deps.now())) throw keyReplaced();
  const isSpent = token.status === 4;
  if (isSpent && !spentToo) throw tokenExhausted(token.masked);
  if (token.status === 3) throw tokenExpired();
  if (token.expiredTime !== -1 && token.expiredTime <= unixSeconds(deps.now())) {
    if (token.status === 1) deps.markToken(token.id, 3);
    throw tokenExpired();
  }
  if (token.status !== 1 && !isSpent) throw tokenUnusable();
}

/** How many keyed hashes are cached, because the same keys call again and again. */
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
