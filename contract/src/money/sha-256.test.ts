import { expect, test } from "bun:test";
import { sha256 } from "./sha-256.ts";

test("texts of every length have the hash that the system computes", () => {
  for (let length = 0; length < 300; length += 1) {
    const text = `价${"a1é".repeat(length)}`.slice(0, length);
    expect(sha256(text)).toBe(Bun.SHA256.hash(text, "hex"));
  }
  expect(sha256("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
