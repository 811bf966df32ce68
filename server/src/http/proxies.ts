/**
 * Finds out what a reverse proxy hides: the client's address, whether the browser uses HTTPS, and
 * below which path it sees the gateway. Anyone can send `X-Forwarded-For` and its like, so only what
 * trusted proxies wrote is used.
 */

import { openIpMatcher, parseIpRange, plainAddress } from "#base/ip-ranges.ts";
import type { Fields } from "./client-request.ts";
import { readBasePath } from "./target.ts";

/** The longest header that is read, in characters. Headers that proxies write are shorter. */
const forwardedLengthMax = 4_096;

/** How a browser sees the gateway. */
export type Seen = {
  /** Whether it uses HTTPS. */
  readonly secure: boolean;
  /** The path below which it sees the gateway; empty: the gateway has the whole host. */
  readonly basePath: string;
};

/** The header by which proxies say which path they have taken off. */
const prefixHeader = "x-forwarded-prefix";

type Proxies = {
  /**
   * Returns the client's address: the right-most one in `X-Forwarded-For` that is not a trusted
   * proxy's. The header is ignored if no trusted proxy sent it.
   *
   * @param peer address of the connection's other end.
   */
  clientIp(peer: string, headers: Fields): string;
  /** Whether a trusted proxy says that the browser uses HTTPS. */
  overHttps(peer: string, headers: Fields): boolean;
  /**
   * Returns the path below which the browser sees the gateway, as a trusted proxy says; undefined:
   * none says so.
   */
  basePath(peer: string, headers: Fields): string | undefined;
};

/**
 * Reads the headers of proxies.
 *
 * @param trustedProxies addresses and CIDR blocks of the operator's proxies.
 * @param onUnknownProxy called with the address of each peer that says it is a TLS proxy and is not
 *   trusted.
 * @throws Error naming an entry that is neither an address nor a CIDR block.
 */
export function openProxies(
  trustedProxies: readonly string[],
  onUnknownProxy: (address: string) => void = () => {},
): Proxies {
  const isTrusted = openIpMatcher(
    trustedProxies.map((text) => {
      const range = parseIpRange(text);
      if (range === undefined) throw new Error(`not an address or CIDR block: ${text}`);
      return range;
    }),
  );
  return {
    clientIp(peer, headers) {
      const forwardedFor = headers.get("x-forwarded-for");
      const socket = plainAddress(peer) ?? peer;
      if (forwardedFor === null || forwardedFor.length > forwardedLengthMax) return socket;
      let client = socket;
      for (const hop of forwardedFor.split(",").toReversed()) {
        if (!isTrusted(client)) break;
        const address = plainAddress(hop.trim());
        // A trusted proxy passed on something that is not an address, so the last valid address
        // counts.
        if (address === undefined) break;
        client = address;
      }
      return client;
    },

    overHttps(peer, headers) {
      // Of several proxies' values, the first is that of the proxy that the browser connected to.
      const [scheme = ""] = (headers.get("x-forwarded-proto") ?? "").split(",");
      if (scheme.trim().toLowerCase() !== "https") return false;
      const socket = plainAddress(peer) ?? peer;
      const trusted = isTrusted(socket);
      if (!trusted) onUnknownProxy(socket);
      return trusted;
    },

    basePath(peer, headers) {
      const prefix = headers.get(prefixHeader);
      if (prefix === null || !isTrusted(plainAddress(peer) ?? peer)) return undefined;
      return readBasePath(prefix);
    },
  };
}

/**
 * Headers by which a proxy can be noticed: with the client's address, the protocol, or the proxy's
 * own name.
 */
const forwardingHeaders = [
  "forwarded",
  "via",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-forwarded-server",
  "x-original-forwarded-for",
  "x-real-ip",
  "x-client-ip",
  "x-cluster-client-ip",
  "x-envoy-external-address",
  // Of content delivery networks, whose tunnels end on the machine of the server.
  "cdn-loop",
  "cf-connecting-ip",
  "fastly-client-ip",
  "true-client-ip",
];

/** Whether a proxy passed the request on, be it trusted or not. */
export function isForwarded(headers: Fields): boolean {
  return forwardingHeaders.some((name) => headers.get(name) !== null);
}

/** How the browser sees the gateway, as `markSeen` has written it. */
export function seenBy(request: Request): Seen {
  return { secure: isSecure(request), basePath: request.headers.get(prefixHeader) ?? "" };
}

/** Whether the browser uses HTTPS. `toRequest` has written that into the request's URL. */
export function isSecure(request: Request): boolean {
  return request.url.startsWith("https:");
}

/** Writes the path below which the browser sees the gateway in place of what the request says. */
export function markSeen({ headers }: Request, { basePath }: Seen): void {
  if (basePath === "") headers.delete(prefixHeader);
  else headers.set(prefixHeader, basePath);
}
