/** The outgoing connections of the process: every request to another server uses one of these. */

import { type AddressPolicy, judgeAddress } from "#base/address-policy.ts";
import { type AddressBook, openAddressBook } from "./address-book.ts";
import { openTicker, type Ticker } from "./ticker.ts";
import { openTransport, type Transport } from "./transport.ts";

export type Network = {
  /** The addresses that the operator allows. */
  readonly policy: AddressPolicy;
  /** Resolves and judges hosts that something else than `transport` connects to. */
  readonly addresses: AddressBook;
  readonly ticker: Ticker;
  /** Connects to the addresses that the operator allows. */
  readonly transport: Transport;
  /** A transport that connects to the addresses of another policy. */
  transportTo(policy: AddressPolicy): Transport;
};

export function openNetwork(deps: {
  readonly policy: AddressPolicy;
  /** Addresses of a host name. */
  readonly resolve: (host: string) => Promise<string[]>;
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
}): Network {
  const { policy, resolve, nowMs } = deps;
  const ticker = openTicker(nowMs);
  const addressesOf = (judged: AddressPolicy): AddressBook =>
    openAddressBook({ allows: (address) => judgeAddress(address, judged), resolve, nowMs });
  const transportTo = (judged: AddressPolicy): Transport =>
    openTransport({ addresses: addressesOf(judged), ticker });
  return {
    policy,
    addresses: addressesOf(policy),
    ticker,
    transport: transportTo(policy),
    transportTo,
  };
}
