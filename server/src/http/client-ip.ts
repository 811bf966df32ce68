/**
 * The address a request comes from. Anybody can write `X-Forwarded-For`; it is believed only as
 * far as proxies of ours wrote it.
 */

import { openIpMatcher, parseIpRange, plainAddress } from "#base/ip-ranges.ts";

/** Longest header looked at, in characters; a longer one is what nobody's proxy wrote. */
const forwardedLengthMax = 4_096;

/**
 * @param trustedProxies addresses and CIDR blocks of proxies of ours.
 * @returns from the socket's peer and the header: the right-most address that is not a proxy of
 *   ours. A header from anybody else is not looked at.
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
      // A trusted proxy passed on what it could not name: it is the last one known.
      if (address === undefined) break;
      client = address;
    }
    return client;
  };
}
