/**
 * The outgoing connections of the process: every request to another server uses one of these
 * transports.
 */

import { type AddressPolicy, judgeAddress } from "#base/address-policy.ts";
import { type AddressBook, openAddressBook } from "./address-book.ts";
import type { FindProxy } from "./proxy.ts";
import { openTicker, type Ticker } from "./ticker.ts";
import { openTransport, type Transport } from "./transport.ts";

export type Network = {
  /** Which addresses the operator allows the process to connect to. */
  readonly policy: AddressPolicy;
  /** Resolves and checks host names for code that connects without `transport`. */
  readonly addresses: AddressBook;
  readonly ticker: Ticker;
  /** Connects only to addresses that the operator's policy allows. */
  readonly transport: Transport;
  /**
   * Makes a transport to hosts that users name. It connects only to addresses that this other
   * policy allows.
   */
  transportTo(policy: AddressPolicy): Transport;
};

export function openNetwork(deps: {
  readonly policy: AddressPolicy;
  /** Resolves a host name to its addresses. */
  readonly resolve: (host: string) => Promise<string[]>;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
  /** Finds the proxy of a target; null: the process has no proxies. */
  readonly findProxy?: FindProxy | null;
}): Network {
  const { findProxy = null, policy, resolve, nowMs } = deps;
  const ticker = openTicker(nowMs);
  const addressesOf = (judged: AddressPolicy): AddressBook =>
    openAddressBook({ allows: (address) => judgeAddress(address, judged), resolve, nowMs });
  const ofProxies = openAddressBook({ allows: () => true, resolve, nowMs });
  const transportTo = (judged: AddressPolicy, pinsAddresses: boolean): Transport =>
    openTransport({
      addresses: addressesOf(judged),
      proxies: findProxy && { find: findProxy, addresses: ofProxies, pinsAddresses },
      ticker,
    });
  return {
    policy,
    addresses: addressesOf(policy),
    ticker,
    transport: transportTo(policy, false),
    transportTo: (judged) => transportTo(judged, true),
  };
}
