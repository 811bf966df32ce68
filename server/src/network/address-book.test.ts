import { expect, test } from "bun:test";
import { addressesMs, deadMs, openAddressBook } from "./address-book.ts";

function open(addresses: Record<string, readonly string[] | Error>) {
  let nowMs = 0;
  let asked = 0;
  const book = openAddressBook({
    allows: (address) => !address.startsWith("10.") && address !== "::1",
    async resolve(host) {
      asked += 1;
      const found = addresses[host] ?? new Error("no such name");
      if (found instanceof Error) throw found;
      return found;
    },
    nowMs: () => nowMs,
  });
  return {
    book,
    asked: () => asked,
    pass(ms: number) {
      nowMs += ms;
    },
  };
}

test("a name is resolved once, even for concurrent callers, until its cache entry expires", async () => {
  const { asked, book, pass } = open({ "a.example": ["192.0.2.1"] });
  const found = { kind: "found" as const, address: "192.0.2.1", count: 1 };
  expect(await Promise.all([book.find("a.example"), book.find("a.example")])).toEqual([
    found,
    found,
  ]);
  expect(book.find("a.example")).toEqual(found);
  expect(asked()).toBe(1);

  pass(addressesMs);
  await book.find("a.example");
  expect(asked()).toBe(2);
});

test("P-N1: a name with one forbidden address is forbidden", async () => {
  const { book } = open({ "mixed.example": ["192.0.2.1", "10.0.0.1"] });

  expect(await book.find("mixed.example")).toEqual({ kind: "forbidden" });
  expect(book.find("10.0.0.1")).toEqual({ kind: "forbidden" });
  expect(book.find("[::1]")).toEqual({ kind: "forbidden" });
  expect(book.find("[2001:db8::5]")).toMatchObject({ kind: "found", address: "2001:db8::5" });
});

test("a name that does not resolve is not cached", async () => {
  const { asked, book } = open({ "empty.example": [] });

  expect(await book.find("gone.example")).toEqual({ kind: "unresolved" });
  expect(await book.find("gone.example")).toEqual({ kind: "unresolved" });
  expect(await book.find("empty.example")).toEqual({ kind: "unresolved" });
  expect(asked()).toBe(3);
});

test("W3: an address that does not answer comes last for a while, also after the name is resolved again", async () => {
  const { asked, book, pass } = open({ "two.example": ["192.0.2.1", "192.0.2.2", "192.0.2.1"] });
  const first = async () => {
    const found = await book.find("two.example");
    return found.kind === "found" ? [found.address, found.count] : found;
  };
  await first();
  book.avoid("two.example", "192.0.2.1");
  book.avoid("two.example", "192.0.2.1");
  book.avoid("unknown.example", "192.0.2.1");

  expect(await first()).toEqual(["192.0.2.2", 2]);
  pass(addressesMs);
  expect(await first()).toEqual(["192.0.2.2", 2]);
  expect(asked()).toBe(2);
  pass(1);
  book.avoid("two.example", "192.0.2.2");
  expect(await first()).toEqual(["192.0.2.1", 2]);
  pass(deadMs);
  expect(await first()).toEqual(["192.0.2.1", 2]);
});

test("W3: the addresses of a host are tried one after the other, those of a forbidden one never", async () => {
  const { book } = open({
    "two.example": ["192.0.2.1", "192.0.2.2"],
    "mixed.example": ["192.0.2.1", "10.0.0.1"],
  });
  await book.find("two.example");
  await book.find("mixed.example");

  expect(book.after("two.example", ["192.0.2.1"])).toBe("192.0.2.2");
  expect(book.after("two.example", ["192.0.2.2", "192.0.2.1"])).toBeNull();
  expect(book.after("mixed.example", ["192.0.2.1"])).toBeNull();
  expect(book.after("unknown.example", [])).toBeNull();
});

test("of a host with very many addresses, only the first are kept, but all are checked", async () => {
  const many = Array.from({ length: 500 }, (_, index) => `192.0.${index >> 8}.${index & 255}`);
  const { book } = open({ "many.example": many, "trap.example": [...many, "10.0.0.1"] });

  expect(await book.find("many.example")).toMatchObject({ kind: "found", count: 16 });
  expect(await book.find("trap.example")).toEqual({ kind: "forbidden" });
});
