/** Converts texts so that those which are equal, or look equal to people, get the same form. */

/**
 * Folds differences that people do not notice: case, width, compatibility forms (NFKC), invisible
 * characters, runs of blanks.
 */
export function foldText(text: string): string {
  const cased = text.normalize("NFKC").toUpperCase().toLowerCase().replaceAll("ς", "σ");
  return cased
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFKC")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/**
 * Letters and digits of other scripts that look like a Latin letter in most fonts. If only the
 * capital or only the small letter looks alike, only that one is listed. Source: Unicode Technical
 * Standard 39, `confusables.txt`, for the letters from a to z, read 2026-11-23.
 */
const lookAlikes: Readonly<Record<string, string>> = {
  a: "аАαΑɑᴀꓮᎪ",
  b: "ЬьВвΒƄƅʙꓐᏴ",
  c: "сСϲϹᴄꓚᏟ",
  d: "ԁԀđᴅꓓᎠ",
  e: "еЕεΕҽᴇꓰᎬ",
  f: "ϝƒꜰꓝ",
  g: "ɡցɢꓖᏀ",
  h: "һҺНнΗհħʜꓧᎻ",
  j: "јЈϳյᴊꓙᎫ",
  k: "кКκΚᴋꓗᏦ",
  l: "iIıɩіІιΙӏӀɪʟłꓲꓡᏞ1|",
  n: "ηΝոռпɴꓠ",
  o: "оОοΟσօøᴏꓳ0",
  p: "рРρΡᴘꓑᏢ",
  q: "ԛԚզ",
  r: "гɾʀᴦꓣᏒ",
  s: "ѕЅꜱꓢᏚ5$",
  t: "тТτΤŧᴛꓔᎢ",
  u: "υսᴜꓴ",
  v: "νѵѴᴠꓦᏙ",
  x: "хХχΧꓫ",
  y: "уУүҮγΥʏꓬᎽ",
  z: "ζΖᴢꓜᏃ",
  // The letters `rn` look like one `m` when they are close together.
  rn: "mмМΜᴍꓟᎷ",
  vv: "wԝԜωᴡꓪᎳ",
};

const latinOf: ReadonlyMap<string, string> = new Map(
  Object.entries(lookAlikes).flatMap(([latin, others]) => [...others].map((one) => [one, latin])),
);

/** Returns the visual shape of a text, without accents: texts with the same result look alike. */
export function shapeOf(text: string): string {
  const bare = text.normalize("NFKD").replaceAll(/[\u0300-\u036f]/g, "");
  return toLatin(foldText(toLatin(bare)));
}

const latin = /^[\p{Script=Latin}\p{Script=Common}]$/u;

/** Scripts whose characters nobody takes for a Latin letter. */
const unlikeLatin =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]$/u;

/**
 * Whether a text looks like one that has this shape. No table of letters is complete, so that a
 * letter of another alphabet that stands alone among Latin ones counts as any letter.
 */
export function looksLike(text: string, shape: string): boolean {
  const own = shapeOf(text);
  if (own === shape) return true;
  const characters = Array.from(own);
  if (characters.some((one) => unlikeLatin.test(one))) return false;
  const known = characters.filter((one) => latin.test(one)).length;
  if (known === characters.length || known * 2 < characters.length) return false;
  // One letter can have the shape of two, as `m` has that of `rn`.
  const parts = characters.map((one) => (latin.test(one) ? RegExp.escape(one) : ".{1,2}"));
  return new RegExp(`^${parts.join("")}$`, "u").test(shape);
}

function toLatin(text: string): string {
  return Array.from(text, (one) => latinOf.get(one) ?? one).join("");
}
