/** Connections to upstreams, kept while they are of use: a new one costs a call its time twice. */

import {
  type Connection,
  destroy,
  type Endpoint,
  type ExchangeEnd,
  type ExchangeEvents,
  openConnection,
  send,
} from "./http-connection.ts";
import type { Ticker, Ticking } from "./ticker.ts";

/** How long an unused connection is kept. Shorter than what servers grant one. */
export const idleMsMax = 30_000;
/** Unused connections kept to one endpoint, and to all. */
export const idlePerEndpointMax = 512;
export const idleMax = 2_048;
/**
 * Attempts to connect that were given up but that the kernel goes on with, for one endpoint. While
 * there are as many, one attempt a second is made.
 */
const abandonedMax = 32;
const reconnectMs = 1_000;

export type Exchange = ExchangeEvents & {
  /** The connection it is on; null: none yet, or none any more. */
  connection: Connection | null;
  /** It has gone out over a connection that had carried others. */
  reused: boolean;
  cancelled: boolean;
};

export type HttpPool = {
  /** Sends the request on a connection of the endpoint. `ended` says how that went. */
  run(endpoint: Endpoint, request: readonly Buffer[], exchange: Exchange, connectMs: number): void;
  /** Unused connections. */
  idleCount(): number;
};

type Origin = {
  /** Used last at the end. */
  readonly idle: Connection[];
  abandoned: number;
  connectedAtMs: number;
};

type PoolState = {
  readonly ticker: Ticker;
  readonly origins: Map<string, Origin>;
  readonly keys: WeakMap<Endpoint, string>;
  idleCount: number;
  readonly ticking: Ticking;
};

export function openHttpPool(ticker: Ticker): HttpPool {
  const state: PoolState = {
    ticker,
    origins: new Map(),
    keys: new WeakMap(),
    idleCount: 0,
    ticking: { tick: (nowMs) => sweep(state, nowMs) },
  };
  return {
    run: (endpoint, request, exchange, connectMs) =>
      run(state, { endpoint, request, exchange, connectMs }),
    idleCount: () => state.idleCount,
  };
}

type Run = {
  readonly endpoint: Endpoint;
  readonly request: readonly Buffer[];
  readonly exchange: Exchange;
  readonly connectMs: number;
};

function originOf(state: PoolState, endpoint: Endpoint): Origin {
  let key = state.keys.get(endpoint);
  if (key === undefined) {
    key = `${endpoint.address} ${endpoint.port} ${endpoint.serverName}`;
    state.keys.set(endpoint, key);
  }
  const known = state.origins.get(key);
  if (known !== undefined) return known;
  const origin: Origin = { idle: [], abandoned: 0, connectedAtMs: -Infinity };
  state.origins.set(key, origin);
  return origin;
}

function run(state: PoolState, given: Run): void {
  const origin = originOf(state, given.endpoint);
  const connection = origin.idle.pop();
  if (connection === undefined) {
    connect(state, origin, given);
    return;
  }
  state.idleCount -= 1;
  given.exchange.connection = connection;
  given.exchange.reused = true;
  send(connection, given.request, retrying(state, origin, given));
}

/**
 * A server may close a connection in the very moment a call goes out on it. When not a byte of an
 * answer came, the call has most likely not been read, and goes out again on a new connection.
 */
function retrying(state: PoolState, origin: Origin, given: Run): ExchangeEvents {
  const { exchange } = given;
  return {
    headCame: (head) => exchange.headCame(head),
    bodyCame: (bytes) => exchange.bodyCame(bytes),
    ended(end) {
      if (end !== "silent" || exchange.cancelled) end_(exchange, end);
      else connect(state, origin, given);
    },
  };
}
