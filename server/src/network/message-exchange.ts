/**
 * Asks upstreams that answer over a WebSocket: the request is one message, and each message that
 * comes is a line of the answer. It is read at the pace of its reader, like any other answer, and
 * within the same limits. It sends no pings, which not all such upstreams answer.
 */

import {
  closeCodes,
  closePayload,
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
  type Part,
  readToEnd,
  type TransportAnswer,
  type TransportFault,
} from "./answer.ts";
import { sendMore } from "./connection.ts";
import { discardRest } from "./discard-rest.ts";
import type { Ticker } from "./ticker.ts";
import type { Transport, TransportCall } from "./transport.ts";
import { type Accepted, requestWebSocket } from "./web-socket-client.ts";

const lineFeed = 0x0a;
const space = 0x20;

/** Whether nothing follows a message. */
type IsLast = (message: Uint8Array) => boolean;

export async function exchangeMessages(
  { transport, ticker }: { readonly transport: Transport; readonly ticker: Ticker },
  { body, cancellation, headers, limits, target }: TransportCall,
  isLast: IsLast,
): Promise<TransportAnswer | TransportFault> {
  const asked = { cancellation, headers, limits, target, protocols: [] };
  const accepted = await requestWebSocket(transport, asked);
  if (accepted.kind !== "accepted") return accepted;
  send(accepted, opcodes.text, body ?? new Uint8Array());
  return new MessageAnswer(accepted, ticker, isLast);
}

function send({ connection }: Accepted, opcode: number, bytes: Uint8Array): void {
  sendMore(connection, writeFrame(opcode, bytes, true));
}

class MessageAnswer implements TransportAnswer, FrameTaker {
  readonly kind = "answer";
  readonly status = 200;
  readonly mediaType = "";
  readonly retryAfter = null;
  private readonly accepted: Accepted;
  private readonly ticker: Ticker;
  private readonly isLast: IsLast;
  private readonly frames: FrameReader = newFrameReader(false, messageBytesUsual);
  /** Messages that came and were not read yet: at most those of one read of the connection. */
  private readonly lines: Uint8Array[] = [];
  /** How the answer ended; undefined: more may come. */
  private over: TransportFault | null | undefined = undefined;

  constructor(accepted: Accepted, ticker: Ticker, isLast: IsLast) {
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
      else this.over ??= part;
    }
  }

  flowTo(taker: BodyTaker): void {
    void giveParts(() => this.read(), taker);
  }

  readAll(bytesMax: number): Promise<TransportFault | Uint8Array> {
    return readToEnd(this, bytesMax);
  }

  cancel(): void {
    this.over ??= fault("aborted");
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
    this.over ??= fault(code === closeCodes.tooLarge ? "answer-too-large" : "answer-truncated");
    this.accepted.answer.cancel();
  }

  private close(code: number): void {
    if (this.over !== undefined) return;
    this.over = null;
    send(this.accepted, opcodes.close, closePayload(code, ""));
    discardRest(this.ticker, this.accepted.answer);
  }
}
