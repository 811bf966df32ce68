import "#testing/dom.ts";
import { expect, test } from "bun:test";
import { keepReturnAddress, takeReturnAddress } from "./return-address.ts";

test("a sign-in leads back once, the next one nowhere", () => {
  keepReturnAddress("/log?keyword=gpt&page=2", 7);
  expect(takeReturnAddress(7)).toBe("/log?keyword=gpt&page=2");
  expect(takeReturnAddress(7)).toBeNull();
});

test("an address is given only to the user whose screen it was, or to anybody if it was nobody's", () => {
  keepReturnAddress("/channel?open=5", 7);
  expect(takeReturnAddress(8)).toBeNull();
  keepReturnAddress("/channel", null);
  expect(takeReturnAddress(8)).toBe("/channel");
});

test("a sign-in screen and an address of another host are never returned to", () => {
  for (const address of [
    "/",
    "/login?expired=true",
    "/setup",
    "//evil.example/token",
    "https://evil.example",
    `/log?keyword=${"x".repeat(3_000)}`,
  ]) {
    keepReturnAddress(address, null);
    expect(takeReturnAddress(7), address).toBeNull();
  }
});
