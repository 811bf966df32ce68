/** What comes of a request: an answer, or a fault that says why there is none. */

import {
  type ByteBudget,
  HeldBytes,
  type Memory,
  type Owner,
  uncountedBytes,
} from "#base/memory/byte-budget.ts";
import type { CertificateFault } from "./certificate-fault.ts";
import type { Connection, ExchangeEnd } from "./connection.ts";
import type { ToldLimits } from "./told-limits.ts";

export type TransportFaultCode =
  /** The caller cancelled the call. */
  | "aborted"
  | "address-forbidden"
  | "address-unresolved"
  /** The body has a content coding that cannot be unpacked, or is not what its coding says. */
  | "answer-compressed"
  /** What came is not HTTP. */
  | "answer-not-http"
  | "answer-too-large"
  /** The connection ended before the answer was complete, or the end of the answer is not valid. */
  | "answer-truncated"
  | CertificateFault
  /** The connection ended without an answer. */
  | "connection-closed"
  /** No connection could be made, because no network leads to the address. */
  | "connection-failed"
  | "connection-refused"
  /** There is no memory for what has arrived and is not complete. */
  | "gateway-busy"
  /** This process can open no further connection. */
  | "gateway-files"
  /** The proxy wants other credentials than it was given. */
  | "proxy-credentials"
  /** No connection to the proxy could be made, or it does not speak its protocol. */
  | "proxy-failed"
  /** The address of the proxy is not allowed. */
  | "proxy-forbidden"
  /** The proxy did not connect to the upstream. */
  | "proxy-refused"
  /** The name of the proxy does not resolve at the moment. */
  | "proxy-unresolved"
  /** A header contains a character that is not allowed in it, such as a line break in a key. */
  | "request-malformed"
  | "tls-failed"
  | "timeout-between-chunks"
  | "timeout-connect"
  | "timeout-first-byte"
  /** The proxy did not connect in time. */
  | "timeout-proxy"
  /** The connection was made, but the TLS handshake did not end. */
  | "timeout-tls"
  | "timeout-total";

export type TransportFault = {
  readonly kind: "fault";
  readonly code: TransportFaultCode;
  /** The status for the client if no other channel can serve the call. */
  readonly status: 502 | 504;
};

export type TransportAnswer = {
  readonly kind: "answer";
  readonly status: number;
  /** The `content-type` in lower case, without parameters; empty: none. */
  readonly mediaType: string;
  /** The `content-type` as it came; absent or empty: none. */
  readonly contentType?: string;
  /** The length of the body, if the head tells it; null or absent: it does not. */
  readonly contentLength?: number | null;
  /** The `retry-after` header, unparsed. */
  readonly retryAfter: string | null;
  /** The id that the upstream gave the request; empty or absent: it told none. */
  readonly requestId?: string;
  /** What it says of the limits of the key that was used; null or absent: nothing. */
  readonly toldLimits?: ToldLimits | null;
  /** Reads the next bytes; null: the body ended normally. Only one read may be pending. */
  read(): Promise<Part>;
  /**
   * Gives the rest of the body to the taker as it arrives, until the taker has enough. To be called
   * again when the taker wants more. No read may be pending.
   */
  flowTo(taker: BodyTaker): void;
  /**
   * Reads the rest of the body. Returns no promise if all of it arrived with the head, as small
   * bodies do.
   */
  readAll(bytesMax: number): Promise<TransportFault | Uint8Array> | TransportFault | Uint8Array;
  /** Returns what an upgrade needs; null: the answer is none. Absent: it cannot be one. */
  upgraded?(): Upgraded | null;
  /**
   * Gives up the answer: closes the connection unless the answer has ended. May be called at any
   * time.
   */
  cancel(): void;
};

/** A connection that was upgraded: what arrives on it is the body of the answer. */
export type Upgraded = {
  /** Header fields, as `splitFields` returns them. */
  readonly fields: readonly string[];
  readonly connection: Connection;
};

/** What one read of an answer gives; null: the body ended normally. */
export type Part = TransportFault | Uint8Array | null;

/**
 * Takes the body of an answer at once, without a promise for each piece. None of its functions may
 * throw.
 */
export type BodyTaker = {
  /**
   * Takes the next bytes.
   *
   * @param chunk the same bytes as one whole chunk of HTTP, if they arrived so; else null.
   * @returns whether the taker wants more now.
   */
  takes(bytes: Uint8Array, chunk: Uint8Array | null): boolean;
  /** Called once, when the body has ended; null: normally. */
  takesEnd(end: TransportFault | null): void;
};

/** Gives what `read` returns to a taker, as `flowTo` of an answer has to. */
export async function giveParts(read: () => Promise<Part>, taker: BodyTaker): Promise<void> {
  for (;;) {
    const part = await read();
    if (!(part instanceof Uint8Array)) {
      taker.takesEnd(part);
      return;
    }
    if (!taker.takes(part, null)) return;
  }
}

/** Returns whose memory an answer takes; null: nobody counts it. */
export function memoryOf(call: {
  readonly budget?: ByteBudget | undefined;
  readonly owner?: Owner | undefined;
}): Memory | null {
  const { budget, owner } = call;
  return budget === undefined || owner === undefined ? null : { budget, owner };
}

/**
 * Reads a body to its end, as `readAll` of an answer has to.
 *
 * @param memory null: the caller allows so few bytes that they need not be counted.
 */
export async function readToEnd(
  answer: Pick<TransportAnswer, "cancel" | "read">,
  bytesMax: number,
  memory: Memory | null,
): Promise<TransportFault | Uint8Array> {
  const held = memory === null ? null : new HeldBytes(memory);
  try {
    return await gather(answer, bytesMax, held);
  } finally {
    held?.free();
  }
}

async function gather(
  answer: Pick<TransportAnswer, "cancel" | "read">,
  bytesMax: number,
  held: HeldBytes | null,
): Promise<TransportFault | Uint8Array> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for (;;) {
    const part = await answer.read();
    if (part === null) return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
    if (!(part instanceof Uint8Array)) return part;
    bytes += part.length;
    const isHeld = held === null || bytes <= uncountedBytes || held.hold(bytes) === null;
    if (bytes > bytesMax || !isHeld) {
      answer.cancel();
      return fault(isHeld ? "answer-too-large" : "gateway-busy");
    }
    parts.push(part);
  }
}

export function fault(code: TransportFaultCode): TransportFault {
  return { kind: "fault", code, status: code.startsWith("timeout-") ? 504 : 502 };
}

/** The ends of an exchange without a whole answer. */
export type FailedEnd = Exclude<ExchangeEnd, "whole">;

export function endFault(end: FailedEnd): TransportFault {
  switch (end) {
    case "broken":
      return fault("answer-truncated");
    case "malformed":
      return fault("answer-not-http");
    case "silent":
    case "unsent":
      return fault("connection-closed");
    case "connect-timeout":
      return fault("timeout-connect");
    case "proxy-timeout":
      return fault("timeout-proxy");
    case "tls-timeout":
      return fault("timeout-tls");
    case "no-descriptors":
      return fault("gateway-files");
    case "refused":
      return fault("connection-refused");
    case "unreachable":
      return fault("connection-failed");
    case "certificate-expired":
    case "certificate-invalid":
    case "certificate-name":
    case "certificate-untrusted":
    case "proxy-credentials":
    case "proxy-failed":
    case "proxy-refused":
    case "tls-failed":
      return fault(end);
  }
}
