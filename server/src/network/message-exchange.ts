/**
 * Asks upstreams that answer over a WebSocket: the request is one message, and each message that
 * comes is a line of the answer. It is read at the pace of its reader, like any other answer, and
 * within the same limits. It sends no pings, which not all such upstreams answer.
 */

import { HeldBytes, type Memory, openByteBudget } from "#base/memory/byte-budget.ts";
import {
  closeCodes,
  closePayload,
  dropMessages,
  feedFrames,
  type FrameReader,
  type FrameTaker,
  newFrameReader,
  opcodes,
  writeFrame,
} from "#websocket/frames.ts";
import { messageBytesUsual } from "#websocket/web-socket.ts";
import {
  type BodyTaker,
  fault,
  giveParts,
  memoryOf,
  type Part,
  readToEnd,
  type TransportAnswer,
  type TransportFault,
  type TransportFaultCode,
} from "./answer.ts";
import { sendMore } from "./connection.ts";
import { discardRest } from "./discard-rest.ts";
import type { Ticker } from "./ticker.ts";
import type { Transport, TransportCall } from "./transport-call.ts";
import { type Accepted, requestWebSocket } from "./web-socket-client.ts";

const lineFeed = 0x0a;
const space = 0x20;

/** Whether nothing follows a message. */
type IsLast = (message: Uint8Array) => boolean;

export async function exchangeMessages(
  { transport, ticker }: { readonly transport: Transport; readonly ticker: Ticker },
  call: TransportCall,
  isLast: IsLast,
): Promise<TransportAnswer | TransportFault> {
  const { body, cancellation, headers, limits, target } = call;
  const asked = { cancellation, headers, limits, target, protocols: [] };
  const accepted = await requestWebSocket(transport, asked);
  if (accepted.kind !== "accepted") return accepted;
  send(accepted, opcodes.text, body ?? new Uint8Array());
  return new MessageAnswer(accepted, ticker, isLast, memoryOf(call));
}

function send({ connection }: Accepted, opcode: number, bytes: Uint8Array): void {
  sendMore(connection, writeFrame(opcode, bytes, true));
}

/** For callers that count no memory. */
const uncounted: Memory = { budget: openByteBudget(Infinity), owner: 0 };

function faultOf(code: number): TransportFaultCode {
  switch (code) {
    case closeCodes.tooLarge:
      return "answer-too-large";
    case closeCodes.tryAgainLater:
      return "gateway-busy";
    default:
      return "answer-truncated";
  }
}

class MessageAnswer implements TransportAnswer, FrameTaker {
  readonly kind = "answer";
  readonly status = 200;
  readonly mediaType = "";
  readonly retryAfter = null;
  private readonly accepted: Accepted;
  private readonly ticker: Ticker;
  private readonly isLast: IsLast;
  private readonly memory: Memory | null;
  private readonly frames: FrameReader;
  /** Messages that came and were not read yet: at most those of one read of the connection. */
  private readonly lines: Uint8Array[] = [];
  /** How the answer ended; undefined: more may come. */
  private over: TransportFault | null | undefined = undefined;

  constructor(accepted: Accepted, ticker: Ticker, isLast: IsLast, memory: Memory | null) {
    this.memory = memory;
    const held = new HeldBytes(memory ?? uncounted);
    this.frames = newFrameReader(false, messageBytesUsual, held);
    this.accepted = accepted;
    this.ticker = ticker;
    this.isLast = isLast;
  }

  async read(): Promise<Part> {
    for (;;) {
      const line = this.lines.shift();
      if (line !== undefined) return line;
      if (this.over !== undefined) return this.over;
      const part = await this.accepted.answer.read();
      if (part instanceof Uint8Array) this.feed(part);
      else this.end(part);
    }
  }

  flowTo(taker: BodyTaker): void {
    void giveParts(() => this.read(), taker);
  }

  readAll(bytesMax: number): Promise<TransportFault | Uint8Array> {
    return readToEnd(this, bytesMax, this.memory);
  }

  cancel(): void {
    this.end(fault("aborted"));
    this.accepted.answer.cancel();
  }

  private feed({ buffer, byteOffset, length }: Uint8Array): void {
    const bytes = Buffer.from(buffer, byteOffset, length);
    feedFrames(this.frames, bytes, this, () => this.over === undefined);
  }

  // What the frames say:

  message(bytes: Buffer): void {
    if (this.over !== undefined) return;
    const line = new Uint8Array(bytes.length + 1);
    line.set(bytes);
    // Between the parts of JSON a line feed means no more than a space.
    for (let at = line.indexOf(lineFeed); at >= 0; at = line.indexOf(lineFeed, at)) {
      line[at] = space;
    }
    line[bytes.length] = lineFeed;
    this.lines.push(line);
    if (this.isLast(bytes)) this.close(closeCodes.normal);
  }

  ping(bytes: Buffer): void {
    // An end that does not read is not answered, so that its pings do not fill the memory.
    if (this.accepted.connection.unsent.length === 0) send(this.accepted, opcodes.pong, bytes);
  }

  pong(): void {}

  /** The upstream closes. Whether the answer is whole, its messages say. */
  closes(code: number): void {
    this.close(code);
  }

  broken(code: number): void {
    this.end(fault(faultOf(code)));
    this.accepted.answer.cancel();
  }

  private end(how: TransportFault | null): void {
    this.over ??= how;
    dropMessages(this.frames);
  }

  private close(code: number): void {
    if (this.over !== undefined) return;
    this.end(null);
    send(this.accepted, opcodes.close, closePayload(code, ""));
    discardRest(this.ticker, this.accepted.answer);
  }
}
