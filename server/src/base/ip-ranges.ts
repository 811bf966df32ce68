/** Parses and matches IP addresses and CIDR blocks as people write them in lists. */

import ipaddr from "ipaddr.js";

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A CIDR block: all addresses that share the first `bits` bits with `base`. */
export type IpRange = { readonly base: Address; readonly bits: number };

/**
 * Reads `203.0.113.7`, `203.0.113.0/24`, `2001:db8::/32` and the like. Refuses other spellings of
 * IPv4 that C libraries accept (`10`, `0x7f.1`, leading zeros), because parsers differ about them.
 */
export function parseIpRange(text: string): IpRange | undefined {
  const [address = "", bitsText, ...rest] = text.split("/");
  const base = parseAddress(address);
  if (base === undefined || rest.length > 0) return undefined;
  const isMapped = address.includes(":") && base.kind() === "ipv4";
  const width = address.includes(":") ? 128 : 32;
  if (bitsText === undefined) return { base, bits: base.kind() === "ipv4" ? 32 : 128 };
  if (!/^\d{1,3}$/.test(bitsText) || Number(bitsText) > width) return undefined;
  if (!isMapped) return { base, bits: Number(bitsText) };
  return Number(bitsText) >= 96 ? { base, bits: Number(bitsText) - 96 } : undefined;
}

/**
 * Returns a function that says whether an address lies in one of the ranges. It returns false for a
 * text that is no address.
 */
export function openIpMatcher(ranges: readonly IpRange[]): (address: string) => boolean {
  return (text) => {
    const address = parseAddress(text);
    return (
      address !== undefined &&
      ranges.some(({ base, bits }) => base.kind() === address.kind() && shares(address, base, bits))
    );
  };
}

/**
 * Normalizes an address: IPv4 inside IPv6 becomes IPv4, IPv6 is shortened. Undefined: no address.
 */
export function plainAddress(text: string): string | undefined {
  const known = spellings.get(text);
  if (known !== undefined) return known;
  const plain = parseAddress(text)?.toString();
  if (plain === undefined) return undefined;
  if (spellings.size >= spellingsMax) spellings.clear();
  spellings.set(text, plain);
  return plain;
}

/** Normal forms of addresses. Cached, because the same clients call again and again. */
const spellings = new Map<string, string>();
const spellingsMax = 1_000;

/**
 * Returns the addresses of one household or machine: the address itself, or the /64 block of an
 * IPv6 address.
 */
export function addressBlock(text: string): string {
  const address = parseAddress(text);
  if (address === undefined) return text;
  if (address.kind() === "ipv4") return address.toString();
  return `${address.toByteArray().slice(0, 8).join(".")}/64`;
}

function parseAddress(text: string): Address | undefined {
  if (text.includes(":")) {
    if (text.includes("%") || !ipaddr.IPv6.isValid(text)) return undefined;
    const address = ipaddr.IPv6.parse(text);
    return address.isIPv4MappedAddress() ? address.toIPv4Address() : address;
  }
  return ipaddr.IPv4.isValidFourPartDecimal(text) ? ipaddr.IPv4.parse(text) : undefined;
}

function shares(address: Address, base: Address, bits: number): boolean {
  return address.kind() === "ipv4"
    ? // Safe casts: the caller has checked that both addresses are of the same family.
      (address as ipaddr.IPv4).match(base as ipaddr.IPv4, bits)
    : (address as ipaddr.IPv6).match(base as ipaddr.IPv6, bits);
}
