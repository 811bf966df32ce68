/**
 * Makes one HTTP/1.1 call on its own socket, because HTTP libraries hide how an answer ends. An
 * answer is complete when its last chunk arrived, or its last byte by Content-Length.
 */

import { connect, type Socket } from "node:net";
import { openBodyReader } from "./raw-body.ts";

type RawRequest = {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

export type RawOptions = {
  /**
   * Called whenever bytes have arrived. When it returns true, the client disconnects with a reset.
   */
  readonly leaveWhen?: (sofar: RawProgress) => boolean;
  /** How many bytes of the body are kept; further ones are only counted. */
  readonly keptBytesMax?: number;
};

export type RawProgress = {
  /** The HTTP status; 0: the head of the answer has not arrived yet. */
  readonly status: number;
  readonly bodyBytes: number;
  /** Returns the part of the body that was kept so far. */
  text(): string;
};

export type RawAnswer = {
  /** The HTTP status; 0: no head of an answer arrived. */
  readonly status: number;
  /** Lower-case names; lines of the same name are joined by `, `. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
  readonly bodyBytes: number;
  /** Whether the end of the body has arrived, as its framing announces it. */
  readonly complete: boolean;
};

export type RawCall = {
  readonly answer: Promise<RawAnswer>;
  /** Stops reading the answer, so that the kernel's buffers fill up and the server has to wait. */
  pause(): void;
  resume(): void;
  /** Disconnects by a reset of the connection. */
  leave(): void;
};

const keptBytesDefault = 4 * 1024 * 1024;
/** The longest head of an answer that is accepted. The product's heads are far shorter. */
const headBytesMax = 64 * 1024;

export function sendRaw(origin: string, request: RawRequest, options: RawOptions = {}): RawCall {
  const { hostname, port } = new URL(origin);
  const body = openBodyReader(options.keptBytesMax ?? keptBytesDefault);
  const done = Promise.withResolvers<RawAnswer>();
  let head = Buffer.alloc(0);
  let status = 0;
  let headers: ReadonlyMap<string, string> = new Map();
  let ended = false;
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setNoDelay(true);

  const progress: RawProgress = {
    get status() {
      return status;
    },
    get bodyBytes() {
      return body.bytes();
    },
    text: body.text,
  };
  const finish = (): void => {
    if (ended) return;
    ended = true;
    const facts = { status, headers, text: body.text(), bodyBytes: body.bytes() };
    done.resolve({ ...facts, complete: status !== 0 && body.isComplete() });
    socket.destroy();
  };

  socket.on("connect", () => socket.write(requestText(hostname, port, request)));
  socket.on("data", (chunk: Buffer) => {
    if (ended) return;
    let rest = chunk;
    if (status === 0) {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf("\r\n\r\n");
      if (end < 0 && head.length < headBytesMax) return;
      const lines = head.subarray(0, end).toString("latin1").split("\r\n");
      status = Number(lines[0]?.split(" ")[1] ?? 0);
      headers = readHeaders(lines.slice(1));
      body.start(status, headers);
      rest = head.subarray(end + 4);
    }
    body.push(rest);
    if (body.isComplete()) finish();
    else if (options.leaveWhen?.(progress) === true) leave(socket, finish);
  });
  socket.on("error", finish);
  socket.on("end", finish);
  socket.on("close", finish);
  return {
    answer: done.promise,
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    leave: () => leave(socket, finish),
  };
}

function leave(socket: Socket, finish: () => void): void {
  socket.resetAndDestroy();
  finish();
}

function requestText(host: string, port: string, request: RawRequest): string {
  const { method = "POST", path, headers = {}, body = "" } = request;
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}:${port}`,
    "connection: close",
    ...(method === "GET" ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

function readHeaders(lines: readonly string[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon < 0) continue;
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = found.get(name);
    found.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return found;
}
