import { expect, test } from "bun:test";
import { openProxies, parseProxy, type Proxy } from "./proxy.ts";
import { parseTarget } from "./target.ts";

const plain = { username: "", password: "" };

test("W7: the URL of a proxy is read with its usual port and its credentials", () => {
  for (const [text, proxy] of [
    ["http://a.test", { scheme: "http", host: "a.test", port: 80, ...plain }],
    ["https://A.test/", { scheme: "https", host: "a.test", port: 443, ...plain }],
    ["socks5://a.test", { scheme: "socks5", host: "a.test", port: 1080, ...plain }],
    ["socks5h://[::1]:9", { scheme: "socks5", host: "[::1]", port: 9, ...plain }],
    [
      "http://us%3Aer:p%40ss@a.test:8080",
      { scheme: "http", host: "a.test", port: 8080, username: "us:er", password: "p@ss" },
    ],
  ] as const) {
    expect([text, parseProxy(text)]).toEqual([text, proxy]);
  }
  for (const broken of [
    "a.test:8080",
    "ftp://a.test",
    "http://",
    "",
    "http://%ff@a.test",
    `http://${"u".repeat(256)}@a.test`,
  ]) {
    expect([broken, parseProxy(broken)]).toEqual([broken, null]);
  }
});

test("W7: NO_PROXY names hosts, domains, ports, addresses and blocks", () => {
  // Safe cast: the text is the URL of a proxy.
  const [http, https] = ["http://p.test", "http://s.test"].map((text) => parseProxy(text)) as [
    Proxy,
    Proxy,
  ];
  const find = (except: string, url: string): string => {
    const target = parseTarget(url);
    if (target === null) throw new Error(url);
    return openProxies({ http, https, except })?.(target)?.host ?? "direct";
  };
  const rules = ".inner.test, *.star.test exact.test:8080 10.0.0.0/8,[2001:db8::1] 192.0.2.7";
  for (const [url, way] of [
    ["https://up.test", "s.test"],
    ["http://up.test", "p.test"],
    ["http://inner.test", "direct"],
    ["http://a.inner.test", "direct"],
    ["http://ainner.test", "p.test"],
    ["http://a.star.test", "direct"],
    ["http://exact.test:8080", "direct"],
    ["http://exact.test", "p.test"],
    ["http://10.9.9.9", "direct"],
    ["http://[2001:db8::1]", "direct"],
    ["http://192.0.2.7:81", "direct"],
    ["http://192.0.2.8", "p.test"],
    ["http://localhost:3000", "direct"],
    ["http://127.0.0.1", "direct"],
    ["http://[::1]", "direct"],
  ] as const) {
    expect([url, find(rules, url)]).toEqual([url, way]);
  }
  expect(find("*", "https://up.test")).toBe("direct");
  expect(openProxies({ http: null, https: null, except: "" })).toBeNull();
});
