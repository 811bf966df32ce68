/**
 * Sends one request over the network: bytes to a server and back, within limits of time, size and
 * address. It knows nothing of models or money. Failures are returned, not thrown.
 *
 * It does not use `fetch`: Bun's buffers megabytes of a stream whose reader has stopped, keeps 64
 * idle connections for all hosts together, and has no time limit for connecting.
 */

import type { AddressBook, FoundAddress } from "./address-book.ts";
import {
  type BodyTaker,
  endFault,
  type FailedEnd,
  fault,
  memoryOf,
  type Part,
  readToEnd,
  type TransportAnswer,
  type TransportFault,
  type Upgraded,
} from "./answer.ts";
import type { Cancellation } from "./cancellation.ts";
import type { ByteBudget, Owner } from "#base/memory/byte-budget.ts";
import type { ToldLimits } from "./told-limits.ts";
import { readCoding } from "#base/content-coding.ts";
import {
  type Connection,
  destroy,
  type Endpoint,
  type ExchangeEnd,
  pause,
  resume,
} from "./connection.ts";
import { exchangeMessages } from "./message-exchange.ts";
import { type Exchange, openHttpPool, type HttpPool } from "./pool.ts";
import type { Proxy } from "./proxy.ts";
import { addressesTriedMax, isUnread, triesNext, unconnected } from "./repeat.ts";
import { endpointOf, tunnelEndpoint, writeHead } from "./request.ts";
import type { ResponseHead } from "./response.ts";
import { type FindRoute, openRoutes, type OwnProxies } from "./route.ts";
import type { Target } from "./target.ts";
import type { Ticker, Ticking } from "./ticker.ts";
import type { TimeLimits, Transport, TransportCall } from "./transport-call.ts";
import type { Tunnel } from "./tunnel.ts";
import { unpackedAnswer } from "./unpacked-answer.ts";

export type { TimeLimits, Transport, TransportCall };

type TransportDeps = {
  readonly addresses: AddressBook;
  readonly ticker: Ticker;
  /** The proxies of the process; null: it has none. Channels can have their own. */
  readonly proxies?: OwnProxies | null;
  /** Certificates (PEM) that are trusted instead of the system's; undefined: the system's. */
  readonly ca?: string;
};

/**
 * How many bytes may wait for a slow reader. When there are as many, the gateway stops reading from
 * the upstream.
 */
const waitingBytesMax = 16 * 1024;

type State = Omit<TransportDeps, "proxies"> & {
  readonly pool: HttpPool;
  readonly proxies: OwnProxies | null;
  readonly route: FindRoute;
};

export function openTransport(deps: TransportDeps): Transport {
  const { addresses, proxies = null, ticker } = deps;
  const route = openRoutes({ addresses, proxies, nowMs: ticker.nowMs });
  const state: State = { ...deps, proxies, route, pool: openHttpPool(ticker) };
  const transport: Transport = (call) => {
    if (call.isLastMessage !== undefined) {
      return exchangeMessages({ transport, ticker }, call, call.isLastMessage);
    }
    const proxy = call.target.proxy ?? (proxies === null ? null : proxies.find(call.target));
    if (proxy !== null) return beginThrough(state, call, proxy);
    const found = deps.addresses.find(call.target.host);
    if (found instanceof Promise) return found.then((late) => begin(state, call, late));
    return begin(state, call, found);
  };
  return transport;
}

const noFields: readonly string[] = [];

type Answered = (answer: TransportAnswer | TransportFault) => void;

/**
 * One request in progress, and its answer. One object for all of it, because every call makes one.
 * The fields of the call that are needed later are copied: the call itself is not kept, so that its
 * body's memory is freed once the answer has begun.
 */
class Sending implements Exchange, Ticking, TransportAnswer {
  readonly kind = "answer";
  status = 0;
  mediaType = "";
  contentType = "";
  retryAfter: string | null = null;
  requestId = "";
  toldLimits: ToldLimits | null = null;
  /** The answer's `content-length`; null: absent. */
  contentLength: number | null = null;
  readonly state: State;
  readonly head: string;
  body: Uint8Array | readonly Uint8Array[] | null;
  readonly target: Target;
  readonly limits: TimeLimits;
  readonly cancellation: Cancellation;
  readonly budget: ByteBudget | undefined;
  readonly owner: Owner | undefined;
  readonly answered: Answered;
  endpoint: Endpoint;
  connectMs: number;
  failedAt: string[] | null = null;
  failedBy: FailedEnd | null = null;
  addressesLeft: number;
  connection: Connection | null = null;
  reused = false;
  cancelled = false;
  readonly upgrades: boolean;
  /** The fields of the head with status 101. */
  upgradeFields: readonly string[] = noFields;
  /** Bytes that arrived and that the caller has not read yet; null: none. */
  parts: Uint8Array[] | null = null;
  partBytes = 0;
  /** Resolves the pending `read`; null: no read is pending. */
  waiting: ((part: Part) => void) | null = null;
  /** Takes what arrives; null: nobody does at present. */
  taker: BodyTaker | null = null;
  headCameYet = false;
  /** How the body ended; undefined: it is still open. */
  end: TransportFault | null | undefined = undefined;
  /** When the present pause of the upstream exceeds its limit. Monotonic milliseconds. */
  dueMs: number;
  /** Whether bytes came since the last tick, so that the pause has begun anew. */
  hasFlowed = false;
  readonly totalDueMs: number;

  constructor(state: State, call: TransportCall, found: Found, head: string, answered: Answered) {
    const { body, budget, cancellation, limits, owner, pieces, target } = call;
    const nowMs = state.ticker.nowMs();
    this.state = state;
    this.head = head;
    this.body = pieces ?? body;
    this.upgrades = call.upgrades === true;
    this.target = target;
    this.limits = limits;
    this.cancellation = cancellation;
    this.budget = budget;
    this.owner = owner;
    this.answered = answered;
    this.addressesLeft = Math.min(found.count, addressesTriedMax);
    this.endpoint = endpointOf(call, found.address, state.ca);
    this.connectMs = limits.connectMs / this.addressesLeft;
    this.dueMs = nowMs + limits.firstByteMs;
    this.totalDueMs = nowMs + limits.totalMs;
  }

  /** Goes through a proxy, whose address was found in place of the target's. */
  goThrough(tunnel: Tunnel): void {
    this.endpoint = tunnelEndpoint(this.endpoint, tunnel);
    this.connectMs = this.limits.connectMs;
    this.addressesLeft = 1;
  }

  headCame(head: ResponseHead): void {
    if (this.cancelled) return;
    this.headCameYet = true;
    this.body = null;
    this.dueMs = this.state.ticker.nowMs() + this.limits.betweenChunksMs;
    this.status = head.status;
    this.mediaType = head.mediaType;
    this.contentType = head.contentType;
    this.retryAfter = head.retryAfter;
    this.requestId = head.requestId;
    this.toldLimits = head.toldLimits;
    this.contentLength = head.contentLength;
    if (head.upgrade !== undefined) this.upgradeFields = head.upgrade;
    const coding = head.contentEncoding === "" ? null : readCoding(head.contentEncoding);
    this.answered(coding === null ? this : unpackedAnswer(this, coding));
  }

  bodyCame(bytes: Buffer, chunk: Buffer | null): void {
    bodyCame(this, bytes, chunk);
  }

  ended(end: ExchangeEnd): void {
    ended(this, end);
  }

  tick(nowMs: number): void {
    if (this.hasFlowed) {
      // Reading the clock for each piece of a stream would cost more than being late by one tick.
      this.hasFlowed = false;
      this.dueMs = nowMs + this.limits.betweenChunksMs;
    }
    if (nowMs >= this.totalDueMs) stop(this, fault("timeout-total"));
    else if (nowMs >= this.dueMs) {
      stop(this, fault(this.headCameYet ? "timeout-between-chunks" : "timeout-first-byte"));
    }
  }

  read(): Promise<Part> {
    return read(this);
  }

  flowTo(taker: BodyTaker): void {
    flowTo(this, taker);
  }

  readAll(bytesMax: number): Promise<TransportFault | Uint8Array> | TransportFault | Uint8Array {
    if (this.contentLength !== null && this.contentLength > bytesMax) {
      stop(this, fault("answer-too-large"));
    }
    return readAtOnce(this, bytesMax) ?? readToEnd(this, bytesMax, memoryOf(this));
  }

  upgraded(): Upgraded | null {
    const { connection, status, upgradeFields: fields } = this;
    return status === 101 && connection !== null ? { fields, connection } : null;
  }

  cancel(): void {
    stop(this, fault("aborted"));
  }
}

type Found = Extract<FoundAddress, { kind: "found" }>;

async function beginThrough(
  state: State,
  call: TransportCall,
  proxy: Proxy,
): Promise<TransportAnswer | TransportFault> {
  const route = await state.route(call.target, proxy);
  return route.kind === "fault" ? route : await begin(state, call, route.found, route.tunnel);
}

function begin(
  state: State,
  call: TransportCall,
  found: FoundAddress,
  tunnel: Tunnel | null = null,
): Promise<TransportAnswer | TransportFault> {
  if (found.kind !== "found") return Promise.resolve(fault(`address-${found.kind}`));
  if (call.cancellation.isCancelled) return Promise.resolve(fault("aborted"));
  const head = writeHead(call, tunnel);
  if (head === undefined) return Promise.resolve(fault("request-malformed"));
  return new Promise((answered) => {
    const sending = new Sending(state, call, found, head, answered);
    if (tunnel !== null) sending.goThrough(tunnel);
    send(sending);
  });
}

/** A function without the call, so that the promise does not keep the call's body in memory. */
function send(sending: Sending): void {
  const { cancellation, state } = sending;
  cancellation.running = sending;
  state.ticker.add(sending);
  state.pool.run(sending, sending.upgrades);
}

function bodyCame(sending: Sending, bytes: Buffer, chunk: Buffer | null): void {
  const { connection, taker, waiting } = sending;
  if (sending.cancelled) return;
  if (taker !== null) {
    sending.hasFlowed = true;
    if (!taker.takes(bytes, chunk)) rest(sending);
    return;
  }
  if (waiting === null) {
    sending.parts ??= [];
    sending.parts.push(bytes);
    sending.partBytes += bytes.length;
  }
  // When enough is buffered, the connection is paused until the reader asks for more.
  const isMuch = bytes.length >= waitingBytesMax || sending.partBytes >= waitingBytesMax;
  if (isMuch && connection !== null) pause(connection);
  if (waiting === null) return;
  sending.waiting = null;
  // Until the next read, the pause is the reader's and not the upstream's, so it has no limit.
  sending.dueMs = Infinity;
  waiting(bytes);
}

/** Notes that the taker has enough. The pause is the taker's then, so it has no limit. */
function rest(sending: Sending): void {
  sending.taker = null;
  sending.hasFlowed = false;
  // A taker may have asked for the rest by `read` meanwhile.
  if (sending.waiting === null) sending.dueMs = Infinity;
}

function flowTo(sending: Sending, taker: BodyTaker): void {
  for (let part = takePart(sending); part !== undefined; part = takePart(sending)) {
    if (!taker.takes(part, null)) return rest(sending);
  }
  if (sending.end !== undefined) return taker.takesEnd(sending.end);
  sending.taker = taker;
  if (sending.connection !== null) resume(sending.connection);
  sending.dueMs = sending.state.ticker.nowMs() + sending.limits.betweenChunksMs;
}

/** Removes the first of the bytes that wait; undefined: none do. */
function takePart(sending: Sending): Uint8Array | undefined {
  const part = sending.parts?.shift();
  if (part !== undefined) sending.partBytes -= part.length;
  return part;
}

function ended(sending: Sending, end: ExchangeEnd): void {
  if (sending.cancelled || sending.end !== undefined) return;
  if (sending.reused && isUnread(sending, end)) {
    sending.connection = null;
    sending.state.pool.run(sending, true);
    return;
  }
  if (end === "whole") {
    over(sending, null);
    return;
  }
  if (unconnected.has(end) && triesNext(sending, end)) return;
  // Other addresses than the first tell more only if that is just unreachable.
  const shown = end === "unreachable" ? (sending.failedBy ?? end) : end;
  over(sending, endFault(shown));
}

/** Notes that the exchange is over. Bytes that arrived can still be read. */
function over(sending: Sending, end: TransportFault | null): void {
  const { answered, cancellation, state, taker, waiting } = sending;
  sending.end = end;
  sending.connection = null;
  state.ticker.remove(sending);
  cancellation.running = null;
  if (!sending.headCameYet) answered(end ?? fault("answer-truncated"));
  sending.waiting = null;
  sending.taker = null;
  waiting?.(end);
  taker?.takesEnd(end);
}

/**
 * Ends the exchange by the gateway's own decision: a time limit, a size limit, or the caller's
 * cancellation.
 */
function stop(sending: Sending, end: TransportFault): void {
  if (sending.end !== undefined) return;
  const { connection } = sending;
  sending.cancelled = true;
  if (connection !== null) destroy(connection);
  sending.parts = null;
  over(sending, end);
}

function read(sending: Sending): Promise<Part> {
  const part = takePart(sending);
  if (part !== undefined) {
    sending.dueMs = Infinity;
    return Promise.resolve(part);
  }
  if (sending.end !== undefined) return Promise.resolve(sending.end);
  if (sending.connection !== null) resume(sending.connection);
  sending.dueMs = sending.state.ticker.nowMs() + sending.limits.betweenChunksMs;
  return new Promise((resolve) => {
    sending.waiting = resolve;
  });
}

function readAtOnce({ end, parts }: Sending, bytesMax: number): Uint8Array | undefined {
  if (end !== null || parts?.length !== 1) return undefined;
  const [only] = parts;
  return only !== undefined && only.length <= bytesMax ? only : undefined;
}
