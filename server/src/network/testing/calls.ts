/** A transport for tests, and calls over it. */

import { openAddressBook } from "#network/address-book.ts";
import { newCancellation } from "#network/cancellation.ts";
import { parseTarget } from "#network/target.ts";
import { openTicker } from "#network/ticker.ts";
import {
  openTransport,
  type TimeLimits,
  type Transport,
  type TransportCall,
} from "#network/transport.ts";

export const limits: TimeLimits = {
  connectMs: 5_000,
  firstByteMs: 60_000,
  betweenChunksMs: 60_000,
  totalMs: 600_000,
};

type Given = {
  /** Resolves every name but `inside.test`. */
  readonly resolve?: () => Promise<readonly string[]>;
  readonly ca?: string;
};

/** Opens a transport whose clock stands still unless the test moves it. */
export function open({ resolve = async () => ["127.0.0.1"], ca }: Given = {}): {
  readonly transport: Transport;
  skip(ms: number): void;
} {
  let skipMs = 0;
  const ticker = openTicker(() => 1_000_000 + skipMs);
  const addresses = openAddressBook({
    allows: (address) => address.startsWith("127."),
    resolve: async (host) => (host === "inside.test" ? ["127.0.0.1", "10.0.0.1"] : await resolve()),
    nowMs: ticker.nowMs,
  });
  return {
    transport: openTransport({ addresses, ticker, ...(ca === undefined ? {} : { ca }) }),
    skip(ms) {
      skipMs += ms;
    },
  };
}

export function callTo(url: string, given: Partial<TransportCall> = {}): TransportCall {
  const target = parseTarget(`${url}/v1/x`);
  if (target === null) throw new Error(url);
  return {
    method: "POST",
    target,
    headers: { host: target.host + target.port, authorization: "Bearer a" },
    body: new TextEncoder().encode('{"a":1}'),
    isStream: false,
    limits,
    cancellation: newCancellation(),
    ...given,
  };
}

/** Sends a call. Returns status and body of its answer, or the code of its fault. */
export async function readText(transport: Transport, call: TransportCall, bytesMax = 1_000_000) {
  const answer = await transport(call);
  if (answer.kind === "fault") return answer.code;
  const read = await answer.readAll(bytesMax);
  return read instanceof Uint8Array
    ? `${answer.status} ${new TextDecoder().decode(read)}`
    : read.code;
}
