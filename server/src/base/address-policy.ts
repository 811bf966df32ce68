/**
 * Decides which network addresses the gateway may connect to when somebody else names them, such as
 * a channel's base URL or a webhook (protection from SSRF). Public addresses are allowed. Private
 * ones are allowed if the operator listed them, loopback while the gateway serves only this
 * machine. Link-local addresses are never allowed, because cloud providers serve credentials there.
 * Check every address that a name resolves to, then connect to a checked address, not to the name.
 */

import { type IpRange, openIpMatcher, parseIpRange, plainAddress } from "./ip-ranges.ts";

export type AddressPolicy = {
  readonly isListed: (address: string) => boolean;
  readonly loopback: boolean;
};

/**
 * Opens a policy. `privateRanges`: addresses and blocks that are allowed besides the public ones.
 * `loopback`: whether this machine itself is allowed, too.
 *
 * @throws Error that names the text that is neither an address nor a block.
 */
export function openAddressPolicy(given: {
  readonly privateRanges: readonly string[];
  readonly loopback: boolean;
}): AddressPolicy {
  return { loopback: given.loopback, isListed: matcher(...given.privateRanges) };
}

function matcher(...texts: readonly string[]): (address: string) => boolean {
  const ranges = texts.map((text): IpRange => {
    const range = parseIpRange(text);
    if (range === undefined) throw new Error(`neither an address nor a block: ${text}`);
    return range;
  });
  return openIpMatcher(ranges);
}

/**
 * Blocks that are never allowed: unspecified, link-local with cloud metadata, multicast, reserved.
 */
const isForbidden = matcher(
  "0.0.0.0/8",
  "169.254.0.0/16",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "::/128",
  "fd00:ec2::254/128",
  "fe80::/10",
  "ff00::/8",
);

const isLoopback = matcher("127.0.0.0/8", "::1/128");

/**
 * Blocks that are allowed only if the operator listed them. Source: IANA's special-purpose address
 * registries.
 */
const isSpecial = matcher(
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "3fff::/20",
);

/** The only IPv6 block with public addresses. Translated and private ones lie outside. */
const isPublicIpv6 = matcher("2000::/3");

/** Whether the gateway may connect to this address. False for a text that is not an address. */
export function judgeAddress(text: string, policy: AddressPolicy): boolean {
  const address = plainAddress(text.replace(/^\[(.*)\]$/, "$1"));
  if (address === undefined || isForbidden(address)) return false;
  if (policy.loopback && isLoopback(address)) return true;
  if (policy.isListed(address)) return true;
  if (isSpecial(address)) return false;
  return !address.includes(":") || isPublicIpv6(address);
}

/** The longest URL accepted, in characters. */
const urlLengthMax = 2_048;

type JudgedUrl =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly reason: "address" | "malformed" | "scheme" | "userinfo" };

/**
 * Checks a URL as far as possible without the network: an IP address as `judgeAddress` does, a host
 * name only for being a name of this machine. Other names are checked when they are resolved.
 */
export function judgeUrl(text: string, policy: AddressPolicy): JudgedUrl {
  // `URL` drops line breaks and reads backslashes as slashes, other parsers do not; so such a URL
  // is refused.
  if (text.length > urlLengthMax || /[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text)) {
    return { ok: false, reason: "malformed" };
  }
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return { ok: false, reason: "scheme" };
  if (url.username !== "" || url.password !== "" || text.split("/")[2]?.includes("@") === true) {
    return { ok: false, reason: "userinfo" };
  }
  if (url.hash !== "") return { ok: false, reason: "malformed" };
  const host = url.hostname.replace(/\.$/, "");
  const allowed = isAddress(host)
    ? judgeAddress(host, policy)
    : !isThisMachine(host) || judgeAddress("127.0.0.1", policy);
  return allowed ? { ok: true, url } : { ok: false, reason: "address" };
}

/**
 * Whether a host is an IP address. `URL` writes every form of an IPv4 address as four decimal
 * parts, and IPv6 in brackets.
 */
function isAddress(host: string): boolean {
  return host.startsWith("[") || /^\d{1,3}(\.\d{1,3}){3}$/.test(host);
}

function isThisMachine(name: string): boolean {
  return name === "localhost" || name.endsWith(".localhost");
}
