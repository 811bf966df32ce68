/**
 * How requests go through proxies, and what of them the address policy can still judge. A proxy
 * resolves names itself, so the address that was judged here need not be the one it connects to;
 * docs/decisions/2026-11-23-outgoing-proxies.md has the rule.
 */

import { lacksDescriptors } from "#base/process/descriptors.ts";
import type { AddressBook, FoundAddress } from "./address-book.ts";
import { fault, type TransportFault } from "./answer.ts";
import type { FindProxy, Proxy } from "./proxy.ts";
import { bareHost, portOf } from "./request.ts";
import type { Target } from "./target.ts";
import type { Tunnel } from "./tunnel.ts";

/** The proxies of the process, and how far it trusts them. */
export type OwnProxies = {
  readonly find: FindProxy;
  /** Resolves the names of these proxies; the operator named them, so every address is allowed. */
  readonly addresses: AddressBook;
  /**
   * Whether names are resolved here, and the proxy gets the judged address. Needed where users name
   * the hosts.
   */
  readonly pinsAddresses: boolean;
};

type RouteDeps = {
  /** Judges targets, and the proxies of channels. */
  readonly addresses: AddressBook;
  readonly proxies: OwnProxies | null;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
};

type Route = {
  readonly kind: "route";
  readonly tunnel: Tunnel;
  readonly found: Extract<FoundAddress, { kind: "found" }>;
};

/** Returns how a request gets through the proxy to its target. */
export type FindRoute = (target: Target, proxy: Proxy) => Promise<Route | TransportFault>;

/**
 * How long it is remembered that a name does not resolve here, as is usual behind a proxy. Asking
 * again would delay each call where the name server does not answer.
 */
const unresolvedMs = 600_000;
/** How many such names are remembered. */
const unresolvedMax = 1_024;

export function openRoutes({ addresses, nowMs, proxies }: RouteDeps): FindRoute {
  /** When each name that does not resolve here is resolved again. */
  const unresolved = new Map<string, number>();

  async function resolve(host: string): Promise<FoundAddress> {
    if ((unresolved.get(host) ?? 0) > nowMs()) return { kind: "unresolved" };
    const found = await addresses.find(host);
    if (found.kind !== "unresolved") return found;
    if (unresolved.size >= unresolvedMax) unresolved.clear();
    unresolved.set(host, nowMs() + unresolvedMs);
    return found;
  }

  /** Judges the target; returns the host that the proxy is told. */
  async function hostFor(target: Target, isOwn: boolean): Promise<string | TransportFault> {
    const host = bareHost(target);
    // Names that a channel's proxy resolves are of that proxy's network. Here only addresses can be
    // judged, and names of this machine.
    if (!isOwn && !isAddress(target.host) && !isThisMachine(host)) return host;
    const pins = isOwn && proxies?.pinsAddresses === true;
    const found = await (pins ? addresses.find(target.host) : resolve(target.host));
    if (found.kind === "forbidden") return fault("address-forbidden");
    if (!pins) return host;
    return found.kind === "found"
      ? found.address
      : fault(lacksDescriptors() ? "gateway-files" : "address-unresolved");
  }

  return async (target, proxy) => {
    const isOwn = target.proxy === null;
    const host = await hostFor(target, isOwn);
    if (typeof host !== "string") return host;
    const book = isOwn ? (proxies?.addresses ?? addresses) : addresses;
    const found = await book.find(proxy.host);
    if (found.kind !== "found") return fault(`proxy-${found.kind}`);
    const isForwarded =
      target.scheme === "http" && proxy.scheme !== "socks5" && host === bareHost(target);
    return { kind: "route", tunnel: { proxy, host, port: portOf(target), isForwarded }, found };
  };
}

function isAddress(host: string): boolean {
  return host.startsWith("[") || /^\d{1,3}(\.\d{1,3}){3}$/.test(host);
}

function isThisMachine(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost");
}
