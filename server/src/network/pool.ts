/**
 * Keeps connections to upstreams open and uses them again, because opening one doubles the time of
 * a small call.
 */

import {
  type Connection,
  type ConnectionOwner,
  destroy,
  type Endpoint,
  type ExchangeEvents,
  openConnection,
  send,
} from "./connection.ts";
import type { Ticker, Ticking } from "./ticker.ts";

/**
 * How long an idle connection is kept: shorter than most servers keep one, so that they rarely
 * close it first.
 */
const idleMsMax = 30_000;
/** How many idle connections are kept to one endpoint, and to all endpoints together. */
const idlePerEndpointMax = 512;
const idleMax = 2_048;
/**
 * How many connection attempts to one endpoint may have timed out and still be in progress. The
 * kernel tries each for two minutes, so beyond this number only one new attempt a second is made.
 */
const abandonedMax = 32;
const reconnectMs = 1_000;

/** One request, and the callbacks that get its answer. */
export type Exchange = ExchangeEvents & {
  /** Where the request goes; changes when another address of the host is tried. */
  endpoint: Endpoint;
  /** The request's head, one character a byte. */
  readonly head: string;
  /** The request's body; null: there is none, or an answer has begun and its memory was let go. */
  body: Uint8Array | readonly Uint8Array[] | null;
  connectMs: number;
  /** The connection that carries the request; null: there is none yet. */
  connection: Connection | null;
  /** Whether the connection carried other calls before. */
  reused: boolean;
  /** Whether the request asks for an upgrade. */
  readonly upgrades: boolean;
  /** Whether the answer is no longer wanted. */
  cancelled: boolean;
};

export type HttpPool = {
  /** Sends the request. `fresh`: over a new connection, even if an idle one is available. */
  run(exchange: Exchange, fresh: boolean): void;
  /** Returns the number of idle connections. */
  idleCount(): number;
};

type Origin = {
  /** Idle connections, the most recently used last. */
  readonly idle: Connection[];
  abandoned: number;
  connectedAtMs: number;
};

type PoolState = {
  readonly ticker: Ticker;
  readonly origins: Map<string, Origin>;
  readonly keys: WeakMap<Endpoint, string>;
  readonly owner: ConnectionOwner;
  readonly ticking: Ticking;
  idleCount: number;
};

export function openHttpPool(ticker: Ticker): HttpPool {
  const state: PoolState = {
    ticker,
    origins: new Map(),
    keys: new WeakMap(),
    owner: {
      freed: (connection) => keep(state, connection),
      gone: (connection) => forget(state, connection),
    },
    ticking: { tick: (nowMs) => sweep(state, nowMs) },
    idleCount: 0,
  };
  return {
    run: (exchange, fresh) => run(state, exchange, fresh),
    idleCount: () => state.idleCount,
  };
}

function keyOf(state: PoolState, endpoint: Endpoint): string {
  const known = state.keys.get(endpoint);
  if (known !== undefined) return known;
  const { address, isBounded, port, serverName, tunnel } = endpoint;
  const via = tunnel === null ? "" : JSON.stringify(tunnel);
  const key = `${address} ${port} ${isBounded} ${serverName ?? ""} ${via}`;
  state.keys.set(endpoint, key);
  return key;
}

function originOf(state: PoolState, endpoint: Endpoint): Origin {
  const key = keyOf(state, endpoint);
  const known = state.origins.get(key);
  if (known !== undefined) return known;
  const origin: Origin = { idle: [], abandoned: 0, connectedAtMs: -Infinity };
  state.origins.set(key, origin);
  return origin;
}

function run(state: PoolState, exchange: Exchange, fresh: boolean): void {
  const origin = originOf(state, exchange.endpoint);
  const connection = fresh ? undefined : origin.idle.pop();
  if (connection === undefined) {
    connect(state, origin, exchange);
    return;
  }
  state.idleCount -= 1;
  start(connection, exchange, true);
}

function start(connection: Connection, exchange: Exchange, reused: boolean): void {
  exchange.connection = connection;
  exchange.reused = reused;
  send(connection, exchange.head, exchange.body, exchange);
  connection.reader.upgrades = exchange.upgrades;
}

function connect(state: PoolState, origin: Origin, exchange: Exchange): void {
  const nowMs = state.ticker.nowMs();
  if (origin.abandoned >= abandonedMax && nowMs - origin.connectedAtMs < reconnectMs) {
    exchange.ended("unreachable");
    return;
  }
  origin.connectedAtMs = nowMs;
  state.ticker.add(state.ticking);
  let waiting = true;
  const timer = setTimeout(() => {
    waiting = false;
    const isConnected = connection.socket !== null;
    if (isConnected) destroy(connection);
    else {
      connection.abandoned = true;
      origin.abandoned += 1;
    }
    if (exchange.cancelled) return;
    const phase = exchange.endpoint.tunnel === null ? "tls-timeout" : "proxy-timeout";
    exchange.ended(isConnected ? phase : "connect-timeout");
  }, exchange.connectMs);
  const connection = openConnection(exchange.endpoint, state.owner, (failure) => {
    clearTimeout(timer);
    if (!waiting) {
      origin.abandoned -= 1;
      return;
    }
    waiting = false;
    if (failure !== null) {
      if (!exchange.cancelled) exchange.ended(failure);
    } else if (exchange.cancelled) keep(state, connection);
    else start(connection, exchange, false);
  });
}

/** Keeps a connection idle for the next call, or closes it if too many are idle. */
function keep(state: PoolState, connection: Connection): void {
  const { idle } = originOf(state, connection.endpoint);
  state.ticker.add(state.ticking);
  if (idle.length >= idlePerEndpointMax || state.idleCount >= idleMax) {
    destroy(connection);
    return;
  }
  connection.idleSinceMs = state.ticker.nowMs();
  idle.push(connection);
  state.idleCount += 1;
}

function forget(state: PoolState, connection: Connection): void {
  const idle = state.origins.get(keyOf(state, connection.endpoint))?.idle;
  const at = idle?.indexOf(connection) ?? -1;
  if (at < 0) return;
  idle?.splice(at, 1);
  state.idleCount -= 1;
}

/** Closes connections that were idle for too long, and forgets endpoints without connections. */
function sweep(state: PoolState, nowMs: number): void {
  for (const [key, { abandoned, connectedAtMs, idle }] of state.origins) {
    for (let oldest = idle[0]; oldest !== undefined; oldest = idle[0]) {
      if (nowMs - oldest.idleSinceMs < idleMsMax) break;
      destroy(oldest);
    }
    const isUnused = idle.length === 0 && abandoned === 0;
    if (isUnused && nowMs - connectedAtMs >= idleMsMax) state.origins.delete(key);
  }
  if (state.origins.size === 0) state.ticker.remove(state.ticking);
}
