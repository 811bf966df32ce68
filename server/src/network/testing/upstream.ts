/** Upstreams for tests: servers that send whatever bytes a test wants, over TCP or TLS. */

import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";

type TestUpstream = {
  readonly port: number;
  /** `http://127.0.0.1:PORT` or `https://…`. */
  readonly url: string;
  /** Returns the number of connections made so far. */
  connections(): number;
  /** Returns the number of connections that are open now. */
  open(): number;
  /** Heads and bodies of the calls received, in order. */
  readonly requests: string[];
  stop(): Promise<void>;
};

/**
 * Answers a whole request as the test wants; `count` is the request's number on this connection,
 * from 1.
 */
export type Answerer = (socket: Socket, request: string, count: number) => void;

type TlsFiles = { readonly key: string; readonly cert: string };

export async function startUpstream(answer: Answerer, tls?: TlsFiles): Promise<TestUpstream> {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let connections = 0;
  const take = (socket: Socket): void => {
    connections += 1;
    sockets.add(socket);
    let received = "";
    let count = 0;
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (bytes: Buffer) => {
      received += bytes.toString("latin1");
      for (let end = requestEnd(received); end > 0; end = requestEnd(received)) {
        const request = received.slice(0, end);
        received = received.slice(end);
        count += 1;
        requests.push(request);
        answer(socket, request, count);
      }
    });
  };
  const server: Server = tls === undefined ? createServer(take) : createTlsServer({ ...tls }, take);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    port,
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    connections: () => connections,
    open: () => sockets.size,
    requests,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the index behind the first whole request in the text; 0: there is none. */
function requestEnd(text: string): number {
  const head = text.indexOf("\r\n\r\n");
  if (head < 0) return 0;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, head))?.[1] ?? 0);
  return text.length >= head + 4 + length ? head + 4 + length : 0;
}

export const jsonAnswer = (body: string, status = "200 OK"): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
