/**
 * Sends one request over the network: bytes to a server and back, within limits of time, size and
 * address. It knows nothing of models or money. Failures are returned, not thrown.
 *
 * It does not use `fetch`: Bun's buffers megabytes of a stream whose reader has stopped, keeps 64
 * idle connections for all hosts together, and has no time limit for connecting.
 */

import type { AddressBook, FoundAddress } from "./address-book.ts";
import { fault, type Part, type TransportAnswer, type TransportFault } from "./answer.ts";
import type { Cancellation } from "./cancellation.ts";
import { readCoding } from "#base/content-coding.ts";
import { destroy, type ExchangeEnd, pause, resume } from "./connection.ts";
import { type Exchange, openHttpPool, type HttpPool } from "./pool.ts";
import { endpointOf, type HttpRequest, writeRequest } from "./request.ts";
import type { ResponseHead } from "./response.ts";
import type { Target } from "./target.ts";
import type { Ticker, Ticking } from "./ticker.ts";
import { unpackedAnswer } from "./unpacked-answer.ts";

/** Time limits in milliseconds, each independent of the others. */
export type TimeLimits = {
  readonly connectMs: number;
  readonly firstByteMs: number;
  readonly betweenChunksMs: number;
  readonly totalMs: number;
};

export type TransportCall = HttpRequest & {
  readonly limits: TimeLimits;
  /** The caller cancels this when it no longer wants the answer. */
  readonly cancellation: Cancellation;
};

export type Transport = (call: TransportCall) => Promise<TransportAnswer | TransportFault>;

type TransportDeps = {
  readonly addresses: AddressBook;
  readonly ticker: Ticker;
  /** Certificates (PEM) that are trusted instead of the system's; undefined: the system's. */
  readonly ca?: string;
};

/**
 * How many bytes may wait for a slow reader. When there are as many, the gateway stops reading from
 * the upstream.
 */
const waitingBytesMax = 16 * 1024;

/**
 * How soon after a request a kept connection must have closed for the request to be sent again. A
 * server that closes an idle connection as the request goes out has not read it. One that closes
 * later may have read it, and a call that is answered twice is paid for twice.
 */
const resendMsMax = 100;

/**
 * How many addresses of a host one call may try. They share its time limit for connecting, so that
 * a dead address leaves time for the next.
 */
const addressesTriedMax = 4;

type State = TransportDeps & { readonly pool: HttpPool };

export function openTransport(deps: TransportDeps): Transport {
  const state: State = { ...deps, pool: openHttpPool(deps.ticker) };
  return (call) => {
    const found = deps.addresses.find(call.target.host);
    if (found instanceof Promise) return found.then((late) => begin(state, call, late));
    return begin(state, call, found);
  };
}

type FailedEnd = Exclude<ExchangeEnd, "whole">;

/** One request in progress. */
type Sending = Exchange &
  Ticking & {
    readonly state: State;
    // The fields of the call that are needed later. The call itself is not kept, so that its body's
    // memory is freed once the answer has begun.
    readonly target: Target;
    readonly limits: TimeLimits;
    readonly cancellation: Cancellation;
    /** Addresses to which no connection could be made; null: none. */
    failedAt: string[] | null;
    /** Why no connection could be made to the first of them; null: none failed. */
    failedBy: FailedEnd | null;
    /** How many addresses may be tried, the present one included. */
    addressesLeft: number;
    readonly answered: (answer: TransportAnswer | TransportFault) => void;
    /** Bytes that arrived and that the caller has not read yet. */
    readonly parts: Uint8Array[];
    partBytes: number;
    /** Resolves the pending `read`; null: no read is pending. */
    waiting: ((part: Part) => void) | null;
    headCameYet: boolean;
    /** How the body ended; undefined: it is still open. */
    end: TransportFault | null | undefined;
    /** When the present pause of the upstream exceeds its limit. Monotonic milliseconds. */
    dueMs: number;
    readonly totalDueMs: number;
  };

function begin(
  state: State,
  call: TransportCall,
  found: FoundAddress,
): Promise<TransportAnswer | TransportFault> {
  if (found.kind !== "found") return Promise.resolve(fault(`address-${found.kind}`));
  if (call.cancellation.isCancelled) return Promise.resolve(fault("aborted"));
  const request = writeRequest(call);
  if (request === undefined) return Promise.resolve(fault("request-malformed"));
  return new Promise((answered) => {
    const sending = newSending(state, call, found, { request, answered });
    state.ticker.add(sending);
    state.pool.run(sending, false);
  });
}

type Given = Pick<Sending, "answered" | "request">;
type Found = Extract<FoundAddress, { kind: "found" }>;

/**
 * Makes the state of a request. A separate function, so that the closures in it do not keep the
 * call's body in memory.
 */
function newSending(
  state: State,
  call: TransportCall,
  { address, count }: Found,
  { answered, request }: Given,
): Sending {
  const { cancellation, limits, target } = call;
  const nowMs = state.ticker.nowMs();
  const addressesLeft = Math.min(count, addressesTriedMax);
  const sending: Sending = {
    answered,
    request,
    state,
    target,
    limits,
    cancellation,
    endpoint: endpointOf(call, address, state.ca),
    connectMs: limits.connectMs / addressesLeft,
    failedAt: null,
    failedBy: null,
    addressesLeft,
    connection: null,
    reused: false,
    cancelled: false,
    parts: [],
    partBytes: 0,
    waiting: null,
    headCameYet: false,
    end: undefined,
    dueMs: nowMs + limits.firstByteMs,
    totalDueMs: nowMs + limits.totalMs,
    headCame: (head) => headCame(sending, head),
    bodyCame: (bytes) => bodyCame(sending, bytes),
    ended: (end) => ended(sending, end),
    tick: (now) => tick(sending, now),
  };
  cancellation.onCancel = () => stop(sending, fault("aborted"));
  return sending;
}

function headCame(sending: Sending, head: ResponseHead): void {
  if (sending.cancelled) return;
  sending.headCameYet = true;
  sending.request = [];
  sending.dueMs = sending.state.ticker.nowMs() + sending.limits.betweenChunksMs;
  const answer: TransportAnswer = {
    kind: "answer",
    status: head.status,
    mediaType: head.mediaType,
    retryAfter: head.retryAfter,
    read: () => read(sending),
    readAll: (bytesMax) => readAtOnce(sending, bytesMax) ?? readAll(sending, head, bytesMax),
    cancel: () => stop(sending, fault("aborted")),
  };
  const coding = head.contentEncoding === "" ? null : readCoding(head.contentEncoding);
  sending.answered(coding === null ? answer : unpackedAnswer(answer, coding));
}

function bodyCame(sending: Sending, bytes: Buffer): void {
  const { connection, waiting } = sending;
  if (sending.cancelled) return;
  if (waiting === null) {
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
  over(sending, endFault(shown, sending.headCameYet));
}

/** Whether a call on a kept connection ended so that the server cannot have read it. */
function isUnread({ limits, state, totalDueMs }: Sending, end: ExchangeEnd): boolean {
  if (end !== "silent") return end === "unsent";
  // A kept connection is used at once, so the call went out when its limits began.
  const sentAtMs = totalDueMs - limits.totalMs;
  return state.ticker.nowMs() - sentAtMs <= resendMsMax;
}

/** The ends without a connection, after which another address of the host is tried. */
const unconnected: ReadonlySet<ExchangeEnd> = new Set<ExchangeEnd>([
  "certificate-invalid",
  "connect-timeout",
  "refused",
  "tls-failed",
  "unreachable",
]);

/**
 * Sends the call to the next address of its host, if there is one and time is left. Nothing has
 * been sent to the present one, because no connection was made.
 */
function triesNext(sending: Sending, end: FailedEnd): boolean {
  const { endpoint, limits, state, target, totalDueMs } = sending;
  const { addresses, ticker } = state;
  addresses.avoid(target.host, endpoint.address);
  sending.failedBy ??= end;
  sending.addressesLeft -= 1;
  const leftMs = totalDueMs - limits.totalMs + limits.connectMs - ticker.nowMs();
  if (sending.addressesLeft <= 0 || leftMs <= 0) return false;
  const failedAt = (sending.failedAt ??= []);
  failedAt.push(endpoint.address);
  const next = addresses.after(target.host, failedAt);
  if (next === null) return false;
  sending.connection = null;
  sending.connectMs = leftMs / sending.addressesLeft;
  sending.endpoint = { ...endpoint, address: next };
  state.pool.run(sending, false);
  return true;
}

function endFault(end: FailedEnd, hasHead: boolean): TransportFault {
  if (end === "connect-timeout") return fault("timeout-connect");
  if (end === "refused") return fault("connection-refused");
  if (end === "certificate-invalid" || end === "tls-failed") return fault(end);
  return fault(hasHead ? "answer-truncated" : "connection-failed");
}

/** Notes that the exchange is over. Bytes that arrived can still be read. */
function over(sending: Sending, end: TransportFault | null): void {
  const { answered, cancellation, state, waiting } = sending;
  sending.end = end;
  sending.connection = null;
  state.ticker.remove(sending);
  cancellation.onCancel = null;
  if (!sending.headCameYet) answered(end ?? fault("answer-truncated"));
  sending.waiting = null;
  waiting?.(end);
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
  sending.parts.length = 0;
  over(sending, end);
}

function tick(sending: Sending, nowMs: number): void {
  if (nowMs >= sending.totalDueMs) stop(sending, fault("timeout-total"));
  else if (nowMs >= sending.dueMs) {
    stop(sending, fault(sending.headCameYet ? "timeout-between-chunks" : "timeout-first-byte"));
  }
}

function read(sending: Sending): Promise<Part> {
  const part = sending.parts.shift();
  if (part !== undefined) {
    sending.partBytes -= part.length;
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
  const [only] = parts;
  if (end !== null || only === undefined || parts.length > 1) return undefined;
  return only.length <= bytesMax ? only : undefined;
}

async function readAll(
  sending: Sending,
  { contentLength }: ResponseHead,
  bytesMax: number,
): Promise<TransportFault | Uint8Array> {
  const tooLarge = fault("answer-too-large");
  if (contentLength !== null && contentLength > bytesMax) stop(sending, tooLarge);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const part = await read(sending);
    if (part === null) return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    if (!(part instanceof Uint8Array)) return part;
    bytes += part.length;
    if (bytes > bytesMax) {
      stop(sending, tooLarge);
      return tooLarge;
    }
    parts.push(part);
  }
}
