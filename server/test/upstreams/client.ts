/** A client for tests that sees the bytes on the socket and how the connection ended. */

import net from "node:net";
import type { DemoScript } from "@tollgate/demo/script.ts";

/**
 * How the connection ended. `fin` and `reset`: the upstream closed it that way. `disconnect`: the
 * client did, because the test asked for it.
 */
type ConnectionEnd = "fin" | "reset" | "disconnect";

export type RawAnswer = { readonly bytes: Buffer; readonly end: ConnectionEnd };

type RawCall = {
  readonly path?: string;
  readonly body: object;
  /** Default: HTTP/1.1 with `connection: close`, so that every complete answer ends with FIN. */
  readonly head?: string;
  /**
   * The client disconnects as soon as this returns true. Default: it waits until the upstream
   * closes the connection.
   */
  readonly until?: (bytes: Buffer) => boolean;
  /** The client disconnects when this resolves. */
  readonly leave?: Promise<void>;
};

/** Returns the body of a request that asks for a scripted answer. */
export function scripted(script: DemoScript | string, more: object = {}): object {
  const text = typeof script === "string" ? script : JSON.stringify(script);
  return {
    model: "scripted-by-the-call",
    messages: [{ role: "user", content: "hello" }],
    user: `demo:${text}`,
    ...more,
  };
}

/** Returns the bytes of a POST request. */
export function requestBytes({ path = "/v1/chat/completions", body, head }: RawCall): string {
  const text = JSON.stringify(body);
  const lines = head ?? `POST ${path} HTTP/1.1\r\nconnection: close`;
  return (
    `${lines}\r\nhost: demo\r\nauthorization: Bearer sk-test-wxyz\r\n` +
    `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`
  );
}

export function callRaw(url: string, call: RawCall): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = net.connect(Number(new URL(url).port), new URL(url).hostname);
    const taken: Buffer[] = [];
    let end: ConnectionEnd = "fin";
    const leave = (): void => {
      end = "disconnect";
      socket.destroy();
    };
    void call.leave?.then(leave);
    socket.on("connect", () => socket.write(requestBytes(call)));
    socket.on("data", (chunk: Buffer) => {
      taken.push(chunk);
      if (call.until?.(Buffer.concat(taken)) === true) leave();
    });
    socket.on("error", () => {
      end = "reset";
    });
    socket.on("close", () => resolve({ bytes: Buffer.concat(taken), end }));
  });
}

type Message = {
  readonly status: number;
  /** Lines of the head, without the status line. */
  readonly head: readonly string[];
  readonly body: Buffer;
};

/**
 * Reads the last message in the bytes whose head is complete, and counts the interim heads before
 * it.
 */
export function readMessage(bytes: Buffer): Message & { readonly interimHeads: number } {
  let rest = bytes;
  for (let interimHeads = 0; ; interimHeads += 1) {
    const headEnd = rest.indexOf("\r\n\r\n");
    const [statusLine = "", ...head] = rest.toString("latin1", 0, headEnd).split("\r\n");
    const status = Number(statusLine.split(" ")[1]);
    rest = rest.subarray(headEnd + 4);
    if (status >= 200 || headEnd < 0) return { status, head, body: rest, interimHeads };
  }
}

export function headerOf({ head }: Message, name: string): string | undefined {
  const line = head.find((text) => text.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}

/** Reads a chunked body: its complete chunks, and whether the last one arrived. */
export function readChunked(body: Buffer): { chunks: Buffer[]; ended: boolean; missing: number } {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = body.indexOf("\r\n", at);
    if (lineEnd < 0) return { chunks, ended: false, missing: 0 };
    const size = Number.parseInt(body.toString("latin1", at, lineEnd), 16);
    if (size === 0) return { chunks, ended: true, missing: 0 };
    const start = lineEnd + 2;
    const missing = start + size + 2 - body.length;
    if (missing > 0) return { chunks, ended: false, missing };
    chunks.push(body.subarray(start, start + size));
    at = start + size + 2;
  }
}

/** Returns the text of a streamed answer, its chunks joined. */
export function streamText(answer: RawAnswer): string {
  return Buffer.concat(readChunked(readMessage(answer.bytes).body).chunks).toString("utf8");
}

/** Waits until `holds()` is true. Only a failing test waits for the whole time. */
export async function eventually(holds: () => boolean, withinMs = 10_000): Promise<void> {
  for (const started = Date.now(); !holds(); await Bun.sleep(5)) {
    if (Date.now() - started > withinMs) throw new Error("it never came true");
  }
}
