import { afterAll, expect, test } from "bun:test";
import { createServer } from "node:net";
import { openAddressBook } from "./address-book.ts";
import { newCancellation } from "./cancellation.ts";
import { type Certificate, makeAuthority } from "./testing/certificates.ts";
import { jsonAnswer, startUpstream } from "./testing/upstream.ts";
import { openTicker } from "./ticker.ts";
import { parseTarget } from "./target.ts";
import { openTransport } from "./transport.ts";

const authority = makeAuthority();
const stops: (() => unknown)[] = [];
afterAll(async () => {
  for (const stop of stops) await stop();
});

async function start(certificate: Certificate) {
  const upstream = await startUpstream(
    (socket, request) => socket.write(jsonAnswer(/host: (\S+)/.exec(request)?.[1] ?? "")),
    certificate,
  );
  stops.push(upstream.stop);
  return upstream;
}

function open() {
  const ticker = openTicker(() => performance.now());
  const addresses = openAddressBook({
    allows: () => true,
    resolve: async () => ["127.0.0.1"],
    nowMs: ticker.nowMs,
  });
  return openTransport({ addresses, ticker, ca: authority.ca });
}

async function call(transport: ReturnType<typeof open>, url: string, connectMs = 5_000) {
  const target = parseTarget(url);
  if (target === null) throw new Error(url);
  const answer = await transport({
    method: "POST",
    target,
    headers: { host: target.host + target.port },
    body: new TextEncoder().encode("{}"),
    isStream: false,
    limits: { connectMs, firstByteMs: 60_000, betweenChunksMs: 60_000, totalMs: 600_000 },
    cancellation: newCancellation(),
  });
  if (answer.kind === "fault") return answer.code;
  const read = await answer.readAll(1_000);
  return read instanceof Uint8Array ? Buffer.from(read).toString() : read.code;
}

test("certificate check, SNI and host header use the name, not the address", async () => {
  const transport = open();
  const { connections, port } = await start(authority.issue("up.example"));

  expect(await call(transport, `https://up.example:${port}/`)).toBe(`up.example:${port}`);
  expect(await call(transport, `https://up.example:${port}/`)).toBe(`up.example:${port}`);
  expect(connections()).toBe(1);
});

// Many names share one address of a large hosting provider. Each name needs its own connections,
// because a connection's certificate was checked for one name only.
test("P-N2: a connection made for one name never carries a call for another", async () => {
  const transport = open();
  const { port } = await start(authority.issue("up.example"));
  await call(transport, `https://up.example:${port}/`);

  expect(await call(transport, `https://other.example:${port}/`)).toBe("certificate-name");
});

test("P-U1: no call goes to a wrong, expired or self-signed certificate", async () => {
  const stranger = makeAuthority();
  for (const [certificate, code] of [
    [authority.issue("other.example"), "certificate-name"],
    [authority.issue("up.example", -1), "certificate-expired"],
    [stranger.issue("up.example"), "certificate-untrusted"],
  ] as const) {
    const { port, requests } = await start(certificate);
    expect(await call(open(), `https://up.example:${port}/`)).toBe(code);
    expect(requests).toEqual([]);
  }
});

test("P-U1: a handshake that never ends is given up in time", async () => {
  const silent = createServer((socket) => void socket.on("error", () => {}));
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  stops.push(() => silent.close());
  const address = silent.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;

  expect(await call(open(), `https://up.example:${port}/`, 200)).toBe("timeout-tls");
});

test("W8: a server that speaks plain HTTP on the port of https is no certificate's fault", async () => {
  const plain = await startUpstream(() => {});
  const chatty = createServer((socket) => {
    socket.on("error", () => {});
    socket.write("HTTP/1.1 400 Bad Request\r\n\r\n");
  });
  await new Promise<void>((resolve) => chatty.listen(0, "127.0.0.1", resolve));
  stops.push(plain.stop, () => chatty.close());
  const address = chatty.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;

  expect(await call(open(), `https://up.example:${port}/`)).toBe("tls-failed");
  expect(await call(open(), `https://up.example:${plain.port}/`, 200)).toBe("timeout-tls");
});
