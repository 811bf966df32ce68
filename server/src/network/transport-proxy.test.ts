import { afterEach, expect, test } from "bun:test";
import { eventually, untilStill } from "#base/testing/waiting.ts";
import { type AddressPolicy, openAddressPolicy } from "#base/address-policy.ts";
import { cancel, newCancellation } from "./cancellation.ts";
import { type Network, openNetwork } from "./network.ts";
import { openProxies, parseProxy, type Proxy } from "./proxy.ts";
import { callTo, open, readText } from "./testing/calls.ts";
import { makeAuthority } from "./testing/certificates.ts";
import { startHttpProxy, startSocksProxy, type TestProxy } from "./testing/proxy.ts";
import { jsonAnswer, startUpstream } from "./testing/upstream.ts";
import { parseTarget } from "./target.ts";
import type { Transport, TransportCall } from "./transport.ts";

const authority = makeAuthority();
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function kept<Started extends { stop(): Promise<void> }>(started: Started): Started {
  stops.push(started.stop);
  return started;
}

async function upstreams() {
  const answer = (socket: { write(text: string): unknown }) => socket.write(jsonAnswer("1"));
  return {
    plain: kept(await startUpstream(answer)),
    secure: kept(await startUpstream(answer, authority.issue("up.test"))),
  };
}

function proxyAt(scheme: string, { port }: TestProxy, user = ""): Proxy {
  const host = scheme === "https" ? "proxy.test" : "127.0.0.1";
  const proxy = parseProxy(`${scheme}://${user}${host}:${port}`);
  if (proxy === null) throw new Error(scheme);
  return proxy;
}

function through(proxy: Proxy, url: string, given: Partial<TransportCall> = {}): TransportCall {
  const target = parseTarget(`${url}/v1/x`, proxy);
  if (target === null) throw new Error(url);
  return callTo(url, { target, ...given });
}

test("W7: calls go through an HTTP, HTTPS or SOCKS5 proxy, with TLS and without, and keep their connection", async () => {
  const { plain, secure } = await upstreams();
  const secret = "ada:p%40ss";
  for (const [scheme, target, asked] of [
    ["http", secure, "CONNECT up.test:443 ada:p@ss"],
    ["https", secure, "CONNECT up.test:443 ada:p@ss"],
    ["http", plain, "POST http://up.test/v1/x ada:p@ss"],
    ["https", plain, "POST http://up.test/v1/x ada:p@ss"],
    ["socks5", secure, "socks up.test:443"],
    ["socks5", plain, "socks up.test:80"],
  ] as const) {
    const to = target.port;
    const tls = authority.issue("proxy.test");
    const proxy = kept(
      scheme === "socks5"
        ? await startSocksProxy({ to, password: "ada:p@ss" })
        : await startHttpProxy({ to, ...(scheme === "https" ? { tls } : {}) }),
    );
    const { transport } = open({ ca: authority.ca });
    const own = proxyAt(scheme, proxy, `${secret}@`);
    const url = target === secure ? "https://up.test" : "http://up.test";
    expect([scheme, url, await readText(transport, through(own, url))]).toEqual([
      scheme,
      url,
      "200 1",
    ]);
    await readText(transport, through(own, url));
    expect([proxy.asked, proxy.open()]).toEqual([[asked], 1]);
  }
});

test("W7: the upstream's certificate is checked through a proxy, too", async () => {
  const { secure } = await upstreams();
  for (const scheme of ["http", "https", "socks5"] as const) {
    const tls = authority.issue("proxy.test");
    const proxy = kept(
      scheme === "socks5"
        ? await startSocksProxy({ to: secure.port })
        : await startHttpProxy({ to: secure.port, ...(scheme === "https" ? { tls } : {}) }),
    );
    const { transport } = open({ ca: authority.ca });
    const call = through(proxyAt(scheme, proxy), "https://other.test");
    expect([scheme, await readText(transport, call)]).toEqual([scheme, "certificate-name"]);
    expect(secure.requests).toEqual([]);
    await eventually(() => proxy.open() === 0);
  }
});

test("W7: a proxy that refuses, wants other credentials or is none is told apart", async () => {
  const { plain, secure } = await upstreams();
  const to = secure.port;
  const http = async (status: string) =>
    proxyAt("http", kept(await startHttpProxy({ to, status })));
  const dead = kept(await startHttpProxy({ to }));
  await dead.stop();
  for (const [proxy, code] of [
    [await http("407 Proxy Authentication Required"), "proxy-credentials"],
    [await http("403 Forbidden"), "proxy-refused"],
    [proxyAt("socks5", kept(await startSocksProxy({ to, reply: 5 }))), "proxy-refused"],
    [proxyAt("socks5", kept(await startSocksProxy({ to, password: "a:b" }))), "proxy-credentials"],
    [
      proxyAt("socks5", kept(await startSocksProxy({ to, password: "a:b" })), "a:c@"),
      "proxy-credentials",
    ],
    [proxyAt("http", dead), "proxy-failed"],
    [proxyAt("socks5", kept(await startHttpProxy({ to }))), "timeout-proxy"],
    [proxyAt("http", { ...dead, port: plain.port }), "proxy-failed"],
  ] as const) {
    const { transport } = open({ ca: authority.ca });
    // A busy machine takes long for an answer that comes; only for the one that never does the time
    // is short.
    const connectMs = code === "timeout-proxy" ? 1_000 : 30_000;
    const limits = { ...callTo("http://a").limits, connectMs };
    const call = through(proxy, "https://up.test", { limits });
    expect([code, await readText(transport, call)]).toEqual([code, code]);
  }
});

test("W7: a stalled reader stalls the upstream through a proxy, and no byte is lost", async () => {
  let sent = 0;
  const total = 32 * 1024 * 1024;
  const upstream = kept(
    await startUpstream((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${total}\r\n\r\n`);
      const piece = Buffer.alloc(65_536, 120);
      const pour = (): void => {
        while (sent < total) {
          sent += piece.length;
          if (!socket.write(piece)) return;
        }
      };
      socket.on("drain", pour);
      pour();
    }, authority.issue("up.test")),
  );
  const proxy = kept(await startHttpProxy({ to: upstream.port }));
  const { transport } = open({ ca: authority.ca });
  const answer = await transport(
    through(proxyAt("http", proxy), "https://up.test", { isStream: true }),
  );
  if (answer.kind === "fault") throw new Error(answer.code);
  await untilStill(() => sent);
  expect(sent).toBeLessThan((total * 3) / 4);
  let read = 0;
  for (;;) {
    const part = await answer.read();
    if (part === null) break;
    if (!(part instanceof Uint8Array)) throw new Error(part.code);
    read += part.length;
  }
  expect(read).toBe(total);
});

test("W7: a call through a proxy that never connects ends in time, and a cancelled one at once", async () => {
  const silent = kept(await startUpstream(() => {}));
  const { transport } = open({ ca: authority.ca });
  const proxy = proxyAt("http", { port: silent.port } as TestProxy);
  const limits = { ...callTo("http://a").limits, connectMs: 200 };
  expect(await readText(transport, through(proxy, "https://up.test", { limits }))).toBe(
    "timeout-proxy",
  );
  await eventually(() => silent.open() === 0);
  const cancellation = newCancellation();
  const call = readText(transport, through(proxy, "https://up.test", { cancellation }));
  await eventually(() => silent.open() === 1);
  cancel(cancellation);
  expect(await call).toBe("aborted");
});

const names: Record<string, string[]> = {
  "private.test": ["10.0.0.1"],
  "public.test": ["93.184.215.14"],
  "corporate.test": ["10.1.1.1"],
};

/** Opens the network of a process whose environment names a proxy. */
function openOwn(proxy: Proxy, policy: AddressPolicy, except = ""): Network {
  return openNetwork({
    policy,
    resolve: async (host) => names[host] ?? [],
    nowMs: () => performance.now(),
    findProxy: openProxies({ http: proxy, https: proxy, except }),
  });
}

const usualPolicy = openAddressPolicy({ privateRanges: [], loopback: false });
const ask = async (transport: Transport, url: string) => await readText(transport, callTo(url));

test("W7: what the process's own proxy may reach: no private address, as far as it is known here", async () => {
  const { plain } = await upstreams();
  const proxy = kept(await startHttpProxy({ to: plain.port }));
  const network = openOwn(proxyAt("http", proxy), usualPolicy, "direct.test,10.2.0.0/16");
  for (const [url, result] of [
    ["http://public.test", "200 1"],
    ["http://unknown.test", "200 1"],
    ["http://private.test", "address-forbidden"],
    ["http://169.254.169.254", "address-forbidden"],
    ["http://[fd00:ec2::254]", "address-forbidden"],
    // Reached directly, or not at all.
    ["http://direct.test", "address-unresolved"],
    ["http://10.2.3.4", "address-forbidden"],
    ["http://127.0.0.1:1", "address-forbidden"],
  ] as const) {
    expect([url, await ask(network.transport, url)]).toEqual([url, result]);
  }
  expect(proxy.asked).toEqual([
    "POST http://public.test/v1/x",
    // The connection to the proxy for this host is another one.
    "POST http://unknown.test/v1/x",
  ]);
});

test("W7: a host that a user names is resolved here, and the proxy gets the address that was judged", async () => {
  const { plain } = await upstreams();
  const proxy = kept(await startHttpProxy({ to: plain.port }));
  const transport = openOwn(proxyAt("http", proxy), usualPolicy).transportTo(usualPolicy);

  expect(await ask(transport, "http://public.test")).toBe("200 1");
  expect(await ask(transport, "http://unknown.test")).toBe("address-unresolved");
  expect(await ask(transport, "http://private.test")).toBe("address-forbidden");
  expect(proxy.asked).toEqual(["CONNECT 93.184.215.14:80"]);
});

test("W7: a channel's proxy must itself be allowed, and may reach no address that is not", async () => {
  const { plain } = await upstreams();
  const proxy = kept(await startHttpProxy({ to: plain.port }));
  const at = (host: string) => {
    const found = parseProxy(`http://${host}:${proxy.port}`);
    if (found === null) throw new Error(host);
    return found;
  };
  const open = (loopback: boolean) =>
    openNetwork({
      policy: openAddressPolicy({ privateRanges: [], loopback }),
      resolve: async (host) => names[host] ?? [],
      nowMs: () => performance.now(),
    }).transport;
  for (const [loopback, host, url, result] of [
    [false, "127.0.0.1", "http://up.test", "proxy-forbidden"],
    [true, "corporate.test", "http://up.test", "proxy-forbidden"],
    [true, "missing.test", "http://up.test", "proxy-unresolved"],
    [true, "127.0.0.1", "http://169.254.169.254", "address-forbidden"],
    [true, "127.0.0.1", "http://10.0.0.1", "address-forbidden"],
    // What the proxy's own network calls by name is that network's matter.
    [true, "127.0.0.1", "http://up.test", "200 1"],
  ] as const) {
    const got = await readText(open(loopback), through(at(host), url));
    expect([host, url, got]).toEqual([host, url, result]);
  }
});
