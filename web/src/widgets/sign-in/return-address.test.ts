import "#testing/dom.ts";
import { expect, test } from "bun:test";
import { keepReturnAddress, takeReturnAddress } from "./return-address.ts";

test("a sign-in leads back once, then to the tokens (A-093)", () => {
  keepReturnAddress("/log?keyword=gpt&page=2", 7);
  expect(takeReturnAddress(7)).toBe("/log?keyword=gpt&page=2");
  expect(takeReturnAddress(7)).toBe("/token");
});

test("nobody is led to another user's screen, and anybody to one that nobody had", () => {
  keepReturnAddress("/channel?open=5", 7);
  expect(takeReturnAddress(8)).toBe("/token");
  keepReturnAddress("/channel", null);
  expect(takeReturnAddress(8)).toBe("/channel");
});

test("neither a sign-in screen nor another host is come back to", () => {
  for (const address of [
    "/",
    "/login?expired=true",
    "/setup",
    "//evil.example/token",
    "https://evil.example",
    `/log?keyword=${"x".repeat(3_000)}`,
  ]) {
    keepReturnAddress(address, null);
    expect(takeReturnAddress(7), address).toBe("/token");
  }
});
