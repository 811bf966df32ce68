import { expect, test } from "bun:test";
import { foldText, looksLike, shapeOf } from "./fold-text.ts";

test("case, width, compatibility forms and invisible characters do not make another text", () => {
  for (const [one, other] of [
    ["Alice", "aLICE"],
    ["ａｌｉｃｅ", "alice"],
    ["ﬁne", "FINE"],
    ["straße", "STRASSE"],
    ["ΟΔΟΣ", "οδος"],
    ["a\u200bb", "ab"],
    ["a  b", "a\u00a0b"],
    ["e\u0301", "é"],
  ]) {
    expect(foldText(one ?? "")).toBe(foldText(other ?? ""));
  }
});

test("folding twice changes nothing more", () => {
  for (const text of ["İstanbul", "ŉ", "ǰ", "Ǆ", "ﬃ", "𝔄dmin", "가", "が", "ΐ"]) {
    expect(foldText(foldText(text))).toBe(foldText(text));
  }
});

test("letters of other scripts have the shape of the Latin ones they look like", () => {
  for (const other of [
    "рауpal",
    "ΡΑΥΡΑL",
    "PayPaI",
    "pаypa1",
    "páypal",
    "ＰａｙＰａｌ",
    "ᴘᴀʏᴘᴀʟ",
  ]) {
    expect([other, shapeOf(other)]).toEqual([other, shapeOf("paypal")]);
  }
  expect(shapeOf("modern")).toBe(shapeOf("modem"));
  expect(shapeOf("alice")).not.toBe(shapeOf("alina"));
});

// No table has every letter that some font draws like a Latin one.
test("a Latin name with single letters of a script that the table does not have looks like the name without them", () => {
  for (const other of ["Ꭱoot", "rⲟot", "ro০t", "roՕt", "ⲣayраl"]) {
    const name = other.includes("y") ? "paypal" : "root";
    expect([other, looksLike(other, shapeOf(name))]).toEqual([other, true]);
  }
  expect(looksLike("ad\u0431in", shapeOf("admin"))).toBeTrue();
  expect(looksLike("adⲙin", shapeOf("admin"))).toBeTrue();
  for (const other of ["ro中t", "абвгt", "rootⲟ", "Ꭱout", "rabt", "ᎡᏉᏉt", "大卫", "r.t"]) {
    expect([other, looksLike(other, shapeOf("root"))]).toEqual([other, false]);
  }
});
