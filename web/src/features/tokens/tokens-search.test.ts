import { expect, test } from "bun:test";
import { maskKeyword, searchOf } from "./tokens.search.ts";

const key = `sk-${"aB3".repeat(16)}`;

test("O-262: a pasted key is searched by the part its mask shows, and never stands in the address", () => {
  expect(maskKeyword(key)).toBe("sk-aB3a••••BaB3".replace("BaB3", key.slice(-4)));
  expect(maskKeyword(` ${key.slice(3)} `)).not.toContain(key.slice(3));
  expect(searchOf(maskKeyword(key))).toEqual({ token: maskKeyword(key) });
  // A key of a provider, pasted in the wrong place, stands in no address either.
  expect(maskKeyword("AIzaSyA1234567890abcdefghij")).toBe("sk-AIza••••ghij");
  expect(searchOf("sk-aB3")).toEqual({ token: "sk-aB3" });
});

test("O-262: masks as other places write them are searched as keys", () => {
  for (const mask of ["aB3a••••BaB3", "aB3***aB3", "aB3a…BaB3"]) {
    expect(searchOf(mask)).toEqual({ token: mask });
  }
});

test("O-261: any other keyword is part of a name", () => {
  expect(maskKeyword("team skill")).toBe("team skill");
  expect(searchOf(" team ")).toEqual({ keyword: "team" });
});
