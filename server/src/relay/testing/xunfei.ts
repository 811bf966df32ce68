/** Spark over WebSocket for tests: a server that checks signatures by itself and plays messages. */

import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Provider } from "#providers/provider.ts";
import { xunfei } from "#providers/xunfei.ts";

/** The provider of a channel whose keys choose the WebSocket format. */
export const sparkProvider: Provider = {
  ...xunfei,
  formats: Object.fromEntries(
    Object.entries(xunfei.formats).filter(([format]) => format === "xunfei-spark"),
  ),
};

export const sparkKey = "app1|the-secret|the-key";

/** One question that a client asks, and what the test does about it. */
export type SparkCall = {
  /** The path and the message of the request. */
  readonly path: string;
  readonly sent: Record<string, Record<string, unknown>>;
  /** Sends messages, each as one frame; the bytes are cut after each `cutBytes`. */
  say(messages: readonly object[], cutBytes?: number): Promise<void>;
  /** Sends the bytes of frames. */
  write(bytes: Buffer): void;
  /** Closes with a code, as servers do. */
  close(code: number): void;
  /** Breaks the connection off. */
  cut(): void;
};

type Spark = {
  readonly url: string;
  readonly calls: SparkCall[];
  /** What came from clients besides the question: `close 1000`, `pong …`. */
  readonly heard: string[];
  /** Returns the number of WebSockets that are open now. */
  open(): number;
  stop(): Promise<void>;
};

const handshakeEnding = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export async function startSpark(answer: (call: SparkCall) => unknown): Promise<Spark> {
  const sockets = new Set<Duplex>();
  const calls: SparkCall[] = [];
  const heard: string[] = [];
  const server = createServer((_, response) => response.writeHead(426).end());
  server.on("upgrade", (request: IncomingMessage, socket: Duplex) => {
    const refusal = refusalOf(request);
    if (refusal !== "") {
      const body = JSON.stringify({ message: refusal });
      socket.end(
        `HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      );
      return;
    }
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    const key = String(request.headers["sec-websocket-key"]);
    const accept = createHash("sha1")
      .update(key + handshakeEnding)
      .digest("base64");
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    );
    let received = Buffer.alloc(0);
    socket.on("data", (bytes: Buffer) => {
      received = Buffer.concat([received, bytes]);
      for (let frame = readFrame(received); frame !== null; frame = readFrame(received)) {
        received = received.subarray(frame.length);
        if (frame.opcode === 8) heard.push(`close ${frame.payload.readUInt16BE(0)}`);
        else if (frame.opcode === 10) heard.push(`pong ${frame.payload.toString()}`);
        else {
          const call = callOf(request, socket, frame.payload);
          calls.push(call);
          answer(call);
        }
      }
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    heard,
    open: () => sockets.size,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Says what is wrong with a request's signature, as the vendor describes it; empty: nothing. */
function refusalOf({ headers, method, url = "" }: IncomingMessage): string {
  const { pathname, searchParams } = new URL(url, "http://spark");
  const [host, date] = [searchParams.get("host") ?? "", searchParams.get("date") ?? ""];
  if (headers.authorization !== undefined) return "the key belongs in the address alone";
  if (host !== headers.host) return "host differs";
  if (!/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.test(date)) return "date is not RFC 1123";
  if (Math.abs(Date.parse(date) - Date.now()) > 300_000) return "HMAC signature is too old";
  const claims = Buffer.from(searchParams.get("authorization") ?? "", "base64").toString();
  const [, secret = "", apiKey = ""] = sparkKey.split("|");
  const line = `${method} ${pathname} HTTP/1.1`;
  const signature = createHmac("sha256", secret)
    .update([`host: ${host}`, `date: ${date}`, line].join("\n"))
    .digest("base64");
  const wanted = `api_key="${apiKey}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
  return claims === wanted ? "" : "HMAC signature does not match";
}

function callOf({ url = "" }: IncomingMessage, socket: Duplex, payload: Buffer): SparkCall {
  return {
    path: url.slice(0, url.indexOf("?")),
    sent: JSON.parse(payload.toString()),
    async say(messages, cutBytes) {
      const bytes = Buffer.concat(messages.map((message) => frameOf(message)));
      for (let at = 0; at < bytes.length; at += cutBytes ?? bytes.length) {
        socket.write(bytes.subarray(at, at + (cutBytes ?? bytes.length)));
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
    write: (bytes) => void socket.write(bytes),
    close: (code) => void socket.end(Buffer.from([0x88, 2, code >> 8, code & 0xff])),
    cut: () => void socket.destroy(),
  };
}

/** Writes a message as one frame; its JSON has line breaks, as some servers write it. */
export function frameOf(message: object | string, opcode = 1, isFinal = true): Buffer {
  const text = typeof message === "string" ? message : JSON.stringify(message, null, 1);
  const bytes = Buffer.from(text);
  const first = (isFinal ? 0x80 : 0) | opcode;
  const head =
    bytes.length < 126
      ? [first, bytes.length]
      : [first, 126, bytes.length >> 8, bytes.length & 0xff];
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** Reads a client's frame, which must be masked. Null: it has not arrived yet. */
function readFrame(bytes: Buffer) {
  const [first = 0, second = 0] = bytes;
  const short = second & 0x7f;
  const head = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < head + 4) return null;
  const size =
    short === 126
      ? bytes.readUInt16BE(2)
      : short === 127
        ? Number(bytes.readBigUInt64BE(2))
        : short;
  const length = head + 4 + size;
  if (bytes.length < length) return null;
  if ((second & 0x80) === 0) throw new Error("a client must mask its frames");
  const mask = bytes.subarray(head, head + 4);
  const payload = Buffer.from(bytes.subarray(head + 4, length));
  for (let at = 0; at < size; at += 1) payload[at] = (payload[at] ?? 0) ^ (mask[at % 4] ?? 0);
  return { opcode: first & 0x0f, payload, length };
}

/** A message of an answer; `status` 0: the first, 1: a further one, 2: the last. */
export function sparkMessage(status: number, piece: object, tokens?: object): object {
  return {
    header: { code: 0, message: "Success", sid: "cht000cb087@dx18793cd421fb894542", status },
    payload: {
      choices: { status, seq: status, text: [{ role: "assistant", index: 0, ...piece }] },
      ...(tokens === undefined ? {} : { usage: { text: { question_tokens: 4, ...tokens } } }),
    },
  };
}

export const sparkUsage = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

/** An answer that says “Hello” and is charged 60: 10 input tokens at 2 and 5 output tokens at 8. */
export const sparkAnswer = [
  sparkMessage(0, { content: "Hel" }),
  sparkMessage(1, { content: "l" }),
  sparkMessage(2, { content: "o" }, sparkUsage),
];

export function sparkError(code: number, message: string): object {
  return { header: { code, message, sid: "cht000704fa@dx16ade44e4d87a1c802", status: 2 } };
}
