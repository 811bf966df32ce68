/** Streams for tests: events as an upstream sends them, and a client that records every byte. */

import net, { type Socket } from "node:net";
import { eventually } from "#base/testing/waiting.ts";
import { testKey, type TestRelay } from "./relay.ts";

export const streamHead = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";

export const event = (payload: unknown): string => `data: ${JSON.stringify(payload)}\n\n`;
export const role = event({ choices: [{ index: 0, delta: { role: "assistant", content: "" } }] });
export const words = (content: string): string =>
  event({ choices: [{ index: 0, delta: { content } }] });
export const finish = event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
export const usageEvent = event({
  choices: [],
  usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
});
export const done = "data: [DONE]\n\n";
/** A complete answer with the usage event that the gateway requests. */
export const wholeStream = role + words("Hello") + words(" there!") + finish + usageEvent + done;
/** The same answer as seen by a client that did not request usage. */
export const shownStream = role + words("Hello") + words(" there!") + finish + done;
/** Quota units charged for either stream: 10 input tokens at 2 and 5 output tokens at 8. */
export const wholeCharge = 60;

type StreamClient = {
  /** Returns all bytes received, as they came. */
  raw(): string;
  /** Returns all bytes received, with the chunk framing removed from the body. */
  text(): string;
  status(): number;
  /** Returns how the body ended; undefined: it is still open. */
  end(): "broken" | "whole" | undefined;
  leave(): void;
  pause(): void;
  resume(): void;
};

/**
 * Opens a connection and requests a stream.
 *
 * @param bodyAfter if given, the client sends the body only when this resolves.
 */
export function callStream(
  relay: TestRelay,
  fields: object = {},
  bodyAfter?: Promise<void>,
): StreamClient {
  const body = JSON.stringify({
    model: "m",
    messages: [{ role: "user", content: "hi" }],
    stream: true,
    ...fields,
  });
  const { hostname, port } = new URL(relay.url);
  const socket: Socket = net.connect(Number(port), hostname);
  let received = Buffer.alloc(0);
  let closed = false;
  socket.on("error", () => {});
  socket.on("data", (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
  });
  socket.on("close", () => {
    closed = true;
  });
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: relay\r\nauthorization: Bearer ${testKey}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n` +
      (bodyAfter === undefined ? body : ""),
  );
  void bodyAfter?.then(() => socket.write(body));
  const parts = (): { head: string; text: string; whole: boolean } => readBody(received);
  return {
    raw: () => received.toString(),
    text: () => parts().text,
    status: () => Number(parts().head.split(" ")[1] ?? 0),
    end() {
      if (parts().whole) return "whole";
      return closed ? "broken" : undefined;
    },
    leave: () => void socket.destroy(),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
  };
}

/**
 * Waits until the relay knows that `count` clients are gone. Moves the clock on meanwhile, because
 * a client that closed its side may still read, so it counts as gone only after a second.
 */
export async function disconnected(relay: TestRelay, count: number): Promise<void> {
  await eventually(() => {
    if (relay.counts.disconnects >= count) return true;
    relay.skipMs += 10;
    return false;
  });
}

function readBody(bytes: Buffer): { head: string; text: string; whole: boolean } {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return { head: "", text: "", whole: false };
  const head = bytes.toString("latin1", 0, headEnd);
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
  let at = headEnd + 4;
  if (length !== undefined) {
    const text = bytes.toString("utf8", at);
    return { head, text, whole: Buffer.byteLength(text) >= Number(length) };
  }
  const chunks: Buffer[] = [];
  for (;;) {
    const lineEnd = bytes.indexOf("\r\n", at);
    const size =
      lineEnd < 0 ? Number.NaN : Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const start = lineEnd + 2;
    if (Number.isNaN(size) || start + size + 2 > bytes.length || size === 0) {
      return { head, text: Buffer.concat(chunks).toString("utf8"), whole: size === 0 };
    }
    chunks.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}
