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

function toLatin(text: string): string {
  return Array.from(text, (one) => latinOf.get(one) ?? one).join("");
}
