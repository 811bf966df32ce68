import { expect, test } from "bun:test";
import { openClientIp } from "./client-ip.ts";

const clientIp = openClientIp(["10.0.0.0/8", "2001:db8::1"]);

// P-N4: otherwise clients could choose the address that limits and allow-lists see.
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
  expect(() => openClientIp(["10.0.0.0/8", "proxy.internal"])).toThrow("proxy.internal");
});
