import { expect, test } from "bun:test";
import { isForwarded, openProxies } from "./proxies.ts";

const unknown: string[] = [];
const proxies = openProxies(["10.0.0.0/8", "2001:db8::1"], (address) => unknown.push(address));

function clientIp(peer: string, forwardedFor: string | null): string {
  const headers = new Headers(forwardedFor === null ? {} : { "x-forwarded-for": forwardedFor });
  return proxies.clientIp(peer, headers);
}

// If the header of an untrusted client counted, clients could choose the address that rate limits
// and allow-lists see.
test("a header from anyone but a trusted proxy is ignored", () => {
  expect(clientIp("203.0.113.9", "198.51.100.1")).toBe("203.0.113.9");
  expect(clientIp("203.0.113.9", null)).toBe("203.0.113.9");
});

test("behind trusted proxies the right-most untrusted address counts", () => {
  expect(clientIp("10.0.0.1", "198.51.100.1")).toBe("198.51.100.1");
  expect(clientIp("10.0.0.1", "1.1.1.1, 198.51.100.1")).toBe("198.51.100.1");
  expect(clientIp("10.0.0.1", "1.1.1.1, 198.51.100.1, 10.9.9.9")).toBe("198.51.100.1");
  expect(clientIp("2001:db8::1", "2001:db8::2")).toBe("2001:db8::2");
  expect(clientIp("10.0.0.1", "10.0.0.2, 10.0.0.3")).toBe("10.0.0.2");
});

test("an invalid address ends the search at the last valid one", () => {
  expect(clientIp("10.0.0.1", "198.51.100.1, unknown")).toBe("10.0.0.1");
  expect(clientIp("10.0.0.1", "")).toBe("10.0.0.1");
  expect(clientIp("10.0.0.1", `198.51.100.1,${" ".repeat(5_000)}`)).toBe("10.0.0.1");
});

test("an address is always spelled the same", () => {
  expect(clientIp("::ffff:203.0.113.9", null)).toBe("203.0.113.9");
  expect(clientIp("::ffff:10.0.0.1", "::ffff:198.51.100.1")).toBe("198.51.100.1");
  expect(clientIp("2001:DB8:0:0::7", null)).toBe("2001:db8::7");
});

test("an invalid list of proxies stops the start", () => {
  expect(() => openProxies(["10.0.0.0/8", "proxy.internal"])).toThrow("proxy.internal");
});

// If any client were believed, it could make the gateway send HSTS, and cookies that browsers do
// not return over plain HTTP.
test("only a trusted proxy says that the browser uses HTTPS", () => {
  const overHttps = (peer: string, proto: string) =>
    proxies.overHttps(peer, new Headers({ "x-forwarded-proto": proto }));

  for (const proto of ["https", "HTTPS", "https, http"]) {
    expect(overHttps("10.0.0.1", proto), proto).toBe(true);
  }
  for (const proto of ["http", "http, https", "", "httpsx"]) {
    expect(overHttps("10.0.0.1", proto), proto).toBe(false);
  }
  expect(overHttps("::ffff:10.0.0.1", "https")).toBe(true);
  expect(proxies.overHttps("10.0.0.1", new Headers())).toBe(false);
  expect(unknown).toEqual([]);
  expect(overHttps("127.0.0.1", "https")).toBe(false);
  expect(unknown).toEqual(["127.0.0.1"]);
});

test("a proxy is noticed by each header that proxies add", () => {
  expect(isForwarded(new Headers({ accept: "*/*", host: "a" }))).toBe(false);
  const names = `Forwarded Via X-Forwarded-For X-Forwarded-Proto
    X-Forwarded-Host X-Forwarded-Port X-Forwarded-Server X-Original-Forwarded-For
    X-Real-IP X-Client-IP X-Cluster-Client-IP True-Client-IP
    CF-Connecting-IP Fastly-Client-IP X-Envoy-External-Address CDN-Loop`;
  for (const name of names.split(/\s+/)) {
    expect(isForwarded(new Headers({ [name]: "x" })), name).toBe(true);
  }
});
