/**
 * One attempt on the network: the only place of the server that calls `fetch` for a client. It
 * knows time limits, sizes and addresses, nothing of models or money. Failures are values.
 *
 * What Bun's fetch does itself, held by `transport.test.ts`: it refuses heads above some 16 KB,
 * contradictory lengths, malformed chunks and bodies that stop short, and skips `1xx` heads.
 */

import { type AddressBook, type FoundAddress } from "./address-book.ts";
import type { TimeLimits } from "./snapshot.ts";
import type { Ticker, Ticking } from "./ticker.ts";

/** Where a call goes. Made once a channel and path. */
export type Target = {
  readonly scheme: "http" | "https";
  /** Name, IPv4 address, or IPv6 address in brackets. */
  readonly host: string;
  /** `:8080`, or empty for the scheme's own. */
  readonly port: string;
  /** With its leading slash, and the query when there is one. */
  readonly path: string;
};

export type TransportCall = {
  readonly method: "GET" | "POST";
  readonly target: Target;
  /** All of them, `host` included. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  readonly limits: TimeLimits;
  /** Aborted by whoever no longer wants the answer; by the transport when a limit is reached. */
  readonly abort: AbortController;
};

export type TransportFaultCode =
  /** Whoever asked aborted. */
  | "aborted"
  | "address-forbidden"
  | "address-unresolved"
  /** It came compressed, though we ask for it as it is: what it grows to is not known. */
  | "answer-compressed"
  | "answer-too-large"
  /** The connection ended, or made no sense, before the answer did. */
  | "answer-truncated"
  | "connection-failed"
  | "timeout-between-chunks"
  | "timeout-first-byte"
  | "timeout-total";

export type TransportFault = {
  readonly kind: "fault";
  readonly code: TransportFaultCode;
  /** What the client is shown when no other channel can help. */
  readonly status: 502 | 504;
};

export type TransportAnswer = {
  readonly kind: "answer";
  readonly status: number;
  /** Lower case, without parameters; empty: none. */
  readonly mediaType: string;
  /** The header `retry-after` as it came. */
  readonly retryAfter: string | null;
  /** The next bytes as they come; null: the body ended in good order. */
  read(): Promise<Uint8Array | TransportFault | null>;
  /** The rest of the body. */
  readAll(bytesMax: number): Promise<Uint8Array | TransportFault>;
  /** Ends the connection, when the answer has not ended it. May be called at any time. */
  cancel(): void;
};

export type Transport = (call: TransportCall) => Promise<TransportAnswer | TransportFault>;

export type TransportDeps = {
  readonly addresses: AddressBook;
  readonly ticker: Ticker;
  /** Certificates (PEM) trusted in place of the system's; undefined: the system's. */
  readonly ca?: string;
};

/** A body this small is not read piece by piece: its length bounds memory, one limit the time. */
const wholeBytesMax = 256 * 1024;

export function openTransport({ addresses, ticker, ca }: TransportDeps): Transport {
  return async (call) => {
    const lookup = addresses.find(call.target.host);
    const found = lookup instanceof Promise ? await lookup : lookup;
    if (found.kind !== "found") return addressFault(found);
    const watch = openWatch(ticker, call);
    try {
      return openAnswer(await send(call, found.address, ca), watch);
    } catch {
      // What fetch throws names the address; nothing below needs more than which kind it was.
      watch.end();
      if (watch.overrun !== null) return timeoutFault(watch.overrun);
      if (call.abort.signal.aborted) return fault("aborted", 502);
      addresses.avoid(call.target.host, found.address);
      return fault("connection-failed", 502);
    }
  };
}

function send(call: TransportCall, address: string, ca: string | undefined): Promise<Response> {
  const { scheme, host, port, path } = call.target;
  const bare = address.includes(":") ? `[${address}]` : address;
  const init: BunFetchRequestInit = {
    method: call.method,
    headers: call.headers,
    redirect: "manual",
    decompress: false,
    signal: call.abort.signal,
  };
  if (call.body !== null) init.body = call.body;
  // The name stays in the header and in the certificate's check; the address is the judged one.
  if (scheme === "https" && bare !== host) {
    init.tls = ca === undefined ? { serverName: host } : { serverName: host, ca };
  }
  return fetch(`${scheme}://${bare}${port}${path}`, init);
}

function openAnswer(response: Response, watch: Watch): TransportAnswer | TransportFault {
  const { headers } = response;
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding !== "" && encoding.toLowerCase() !== "identity") {
    watch.stop();
    return fault("answer-compressed", 502);
  }
  let reader: ChunkReader | null = null;
  watch.reading();

  async function read(): Promise<Uint8Array | TransportFault | null> {
    if (response.body === null) return ended(null);
    reader ??= response.body.getReader();
    watch.reading();
    try {
      const { done, value } = await reader.read();
      if (watch.overrun !== null) return ended(timeoutFault(watch.overrun));
      if (done || value === undefined) return ended(watch.cancelled ? watch.fault() : null);
      watch.resting();
      return value;
    } catch {
      return ended(watch.fault());
    }
  }

  function ended<Result>(result: Result): Result {
    watch.end();
    return result;
  }

  async function readAll(bytesMax: number): Promise<Uint8Array | TransportFault> {
    const length = Number(headers.get("content-length") ?? Number.NaN);
    if (length > bytesMax) return tooLarge();
    if (length <= wholeBytesMax && reader === null) {
      watch.reading();
      try {
        return ended(await response.bytes());
      } catch {
        return ended(watch.fault());
      }
    }
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for (;;) {
      const part = await read();
      if (part === null) return parts.length === 1 && parts[0] ? parts[0] : joined(parts, bytes);
      if (!(part instanceof Uint8Array)) return part;
      bytes += part.length;
      if (bytes > bytesMax) return tooLarge();
      parts.push(part);
    }
  }

  function tooLarge(): TransportFault {
    watch.stop();
    return fault("answer-too-large", 502);
  }

  return {
    kind: "answer",
    status: response.status,
    mediaType: mediaTypeOf(headers.get("content-type")),
    retryAfter: headers.get("retry-after"),
    read,
    readAll,
    cancel: watch.stop,
  };
}

type ChunkReader = { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> };

/** The time limits of one attempt. */
type Watch = Ticking & {
  /** The limit that was reached. */
  overrun: "between-chunks" | "first-byte" | "total" | null;
  cancelled: boolean;
  /** Somebody waits for the next bytes. */
  reading(): void;
  /** Nobody does: the upstream is not to blame for the silence. */
  resting(): void;
  /** The answer is over; no limit counts any more. */
  end(): void;
  /** Ends answer and connection. */
  stop(): void;
  /** What a read that threw means. */
  fault(): TransportFault;
};

function openWatch(ticker: Ticker, { limits, abort }: TransportCall): Watch {
  const startMs = ticker.nowMs();
  const totalDueMs = startMs + limits.totalMs;
  let dueMs = startMs + limits.firstByteMs;
  let isFirst = true;
  const watch: Watch = {
    overrun: null,
    cancelled: false,
    tick(nowMs) {
      if (nowMs < dueMs && nowMs < totalDueMs) return;
      watch.overrun = nowMs >= totalDueMs ? "total" : isFirst ? "first-byte" : "between-chunks";
      watch.stop();
    },
    reading() {
      isFirst = false;
      dueMs = ticker.nowMs() + limits.betweenChunksMs;
    },
    resting() {
      dueMs = Infinity;
    },
    end: () => ticker.remove(watch),
    stop() {
      watch.cancelled = true;
      ticker.remove(watch);
      abort.abort();
    },
    fault() {
      if (watch.overrun !== null) return timeoutFault(watch.overrun);
      if (watch.cancelled || abort.signal.aborted) return fault("aborted", 502);
      return fault("answer-truncated", 502);
    },
  };
  ticker.add(watch);
  return watch;
}

function fault(code: TransportFaultCode, status: 502 | 504): TransportFault {
  return { kind: "fault", code, status };
}

function timeoutFault(limit: "between-chunks" | "first-byte" | "total"): TransportFault {
  return fault(`timeout-${limit}`, 504);
}

function addressFault(found: Exclude<FoundAddress, { kind: "found" }>): TransportFault {
  return fault(`address-${found.kind}`, 502);
}

function mediaTypeOf(contentType: string | null): string {
  if (contentType === null) return "";
  const end = contentType.indexOf(";");
  return (end < 0 ? contentType : contentType.slice(0, end)).trim().toLowerCase();
}

function joined(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
