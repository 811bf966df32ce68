/** Forms of a text in which equal ones, or those that look equal, can be found by comparison. */

/**
 * Folds what people do not distinguish: case, width, compatibility forms (NFKC), characters that
 * leave no mark, runs of blanks.
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
 * The letters and digits of other scripts that look like a Latin letter in most fonts. Capital and
 * small letters of a pair may look like different ones, so both stand here where they do. Source:
 * Unicode Technical Standard 39, `confusables.txt`, for the letters from a to z, read 2026-11-23.
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
  // As they look when they stand close.
  rn: "mмМΜᴍꓟᎷ",
  vv: "wԝԜωᴡꓪᎳ",
};

const latinOf: ReadonlyMap<string, string> = new Map(
  Object.entries(lookAlikes).flatMap(([latin, others]) => [...others].map((one) => [one, latin])),
);

/** What a text looks like, without accents: two texts with the same result look alike. */
export function shapeOf(text: string): string {
  const bare = text.normalize("NFKD").replaceAll(/[\u0300-\u036f]/g, "");
  return toLatin(foldText(toLatin(bare)));
}

function toLatin(text: string): string {
  return Array.from(text, (one) => latinOf.get(one) ?? one).join("");
}
