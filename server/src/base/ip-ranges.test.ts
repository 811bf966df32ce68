import { expect, test } from "bun:test";
import { addressBlock, openIpMatcher, parseIpRange, plainAddress } from "./ip-ranges.ts";

test("an address is inside its block and outside others, in either family", () => {
  expect(isIn("203.0.113.7", "203.0.113.0/24")).toBe(true);
  expect(isIn("203.0.114.7", "203.0.113.0/24")).toBe(false);
  expect(isIn("203.0.113.7", "203.0.113.7")).toBe(true);
  expect(isIn("10.1.2.3", "10.0.0.9/8")).toBe(true);
  expect(isIn("2001:db8::1", "2001:db8::/32")).toBe(true);
  expect(isIn("2001:db9::1", "2001:db8::/32")).toBe(false);
  expect(isIn("203.0.113.7", "::/0")).toBe(false);
  expect(isIn("not an address", "0.0.0.0/0")).toBe(false);
});

// A listener on `::` reports IPv4 clients as `::ffff:…`.
test("IPv4 inside IPv6 counts as IPv4, in the address and in the range", () => {
  expect(isIn("::ffff:203.0.113.7", "203.0.113.0/24")).toBe(true);
  expect(isIn("203.0.113.7", "::ffff:203.0.113.0/120")).toBe(true);
  expect(plainAddress("::ffff:203.0.113.7")).toBe("203.0.113.7");
});

test("spellings that parsers disagree about are refused", () => {
  for (const text of [
    "",
    "10",
    "0x7f.0.0.1",
    "010.0.0.1",
    "10.0.0.0/33",
    "10.0.0.0/-1",
    "10.0.0.0/8/8",
    "10.0.0.0/",
    "::/129",
    "fe80::1%eth0",
    "::ffff:10.0.0.0/8",
    "example.com",
    "10.0.0.1 ",
  ]) {
    expect([text, parseIpRange(text)]).toEqual([text, undefined]);
  }
});

test("a household is an IPv4 address or a /64 block of IPv6", () => {
  expect(addressBlock("2001:db8:0:1::1")).toBe(addressBlock("2001:db8:0:1:ffff::2"));
  expect(addressBlock("2001:db8:0:1::1")).not.toBe(addressBlock("2001:db8:0:2::1"));
  expect(addressBlock("203.0.113.7")).not.toBe(addressBlock("203.0.113.8"));
  expect(addressBlock("::ffff:203.0.113.7")).toBe(addressBlock("203.0.113.7"));
});

function isIn(address: string, block: string): boolean {
  const range = parseIpRange(block);
  if (range === undefined) throw new Error(`no range: ${block}`);
  return openIpMatcher([range])(address);
}
