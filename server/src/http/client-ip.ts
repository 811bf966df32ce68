/**
 * Determines a request's client address. Anyone can send `X-Forwarded-For`, so only the entries
 * that trusted proxies wrote are used.
 */

import { openIpMatcher, parseIpRange, plainAddress } from "#base/ip-ranges.ts";

/** Longest header that is read, in characters; no proxy writes a longer one. */
const forwardedLengthMax = 4_096;

/**
 * @param trustedProxies addresses and CIDR blocks of the operator's proxies.
 * @returns a function of the socket's peer and the header: the right-most address that is not a
 *   trusted proxy. A header from anyone else is ignored.
 * @throws Error naming an entry that is neither.
 */
export function openClientIp(
  trustedProxies: readonly string[],
): (peer: string, forwardedFor: string | null) => string {
  const isTrusted = openIpMatcher(
    trustedProxies.map((text) => {
      const range = parseIpRange(text);
      if (range === undefined) throw new Error(`not an address or CIDR block: ${text}`);
      return range;
    }),
  );
  return (peer, forwardedFor) => {
    const socket = plainAddress(peer) ?? peer;
    if (forwardedFor === null || forwardedFor.length > forwardedLengthMax) return socket;
    let client = socket;
    for (const hop of forwardedFor.split(",").toReversed()) {
      if (!isTrusted(client)) break;
      const address = plainAddress(hop.trim());
      // A trusted proxy passed on something that is not an address: use the last valid one.
      if (address === undefined) break;
      client = address;
    }
    return client;
  };
}
