/** Proxies for tests: HTTP with CONNECT and forwarded requests, also over TLS, and SOCKS5. */

import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { Certificate } from "./certificates.ts";

export type TestProxy = {
  readonly port: number;
  /** What was asked, one line for each: `CONNECT up.test:443 <credentials>` and the like. */
  readonly asked: string[];
  open(): number;
  stop(): Promise<void>;
};

type ProxyGiven = {
  /** Where every connection really leads, whatever host was asked for. */
  readonly to: number;
  /** The status that CONNECT is answered with. */
  readonly status?: string;
  readonly tls?: Certificate;
};

type Serve = (socket: Socket, asked: string[]) => void;

async function start(serve: Serve, tls?: Certificate): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  const take = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    serve(socket, asked);
  };
  const server = tls === undefined ? createServer(take) : createTlsServer({ ...tls }, take);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    asked,
    open: () => sockets.size,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function joinTo(socket: Socket, port: number, greeting: Buffer | string, first?: Buffer): void {
  const upstream = connect(port, "127.0.0.1", () => {
    socket.write(greeting);
    if (first !== undefined) upstream.write(first);
    socket.pipe(upstream);
    upstream.pipe(socket);
  });
  upstream.on("error", () => socket.destroy());
  socket.on("close", () => upstream.destroy());
}

export async function startHttpProxy({
  to,
  status = "200 OK",
  tls,
}: ProxyGiven): Promise<TestProxy> {
  return await start((socket, asked) => {
    let head = "";
    const read = (bytes: Buffer): void => {
      head += bytes.toString("latin1");
      if (!head.includes("\r\n\r\n")) return;
      socket.off("data", read);
      const [method, target] = head.split(" ");
      const credentials = /proxy-authorization: Basic (\S+)/i.exec(head)?.[1] ?? "";
      asked.push(`${method} ${target} ${Buffer.from(credentials, "base64").toString()}`.trim());
      if (method !== "CONNECT") joinTo(socket, to, "", Buffer.from(head, "latin1"));
      else if (status.startsWith("2")) joinTo(socket, to, `HTTP/1.1 ${status}\r\n\r\n`);
      else socket.end(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\n\r\n`);
    };
    socket.on("data", read);
  }, tls);
}

export async function startSocksProxy({
  to,
  password,
  reply = 0,
}: {
  readonly to: number;
  /** What user name and password must be; absent: none are asked for. */
  readonly password?: string;
  /** The status of replies; 0: connected. */
  readonly reply?: number;
}): Promise<TestProxy> {
  return await start((socket, asked) => {
    let step = password === undefined ? "request" : "password";
    const read = (bytes: Buffer): void => {
      if (step === "password") {
        const user = bytes.subarray(2, 2 + (bytes[1] ?? 0)).toString();
        const secret = bytes.subarray(3 + (bytes[1] ?? 0)).toString();
        const isRight = `${user}:${secret}` === password;
        step = "request";
        if (isRight) socket.write(Buffer.of(1, 0));
        else socket.end(Buffer.of(1, 1));
        return;
      }
      socket.off("data", read);
      const isName = bytes[3] === 3;
      const end = bytes.length - 2;
      const host = isName ? bytes.subarray(5, end).toString() : bytes.subarray(4, end).join(".");
      asked.push(`socks ${host}:${bytes.readUInt16BE(end)}`);
      const answer = Buffer.of(5, reply, 0, 1, 0, 0, 0, 0, 0, 0);
      if (reply === 0) joinTo(socket, to, answer);
      else socket.end(answer);
    };
    socket.once("data", (greeting: Buffer) => {
      const wanted = password === undefined ? 0 : 2;
      const offers = greeting.subarray(2).includes(wanted);
      socket.write(Buffer.of(5, offers ? wanted : 0xff));
      socket.on("data", read);
    });
  });
}
