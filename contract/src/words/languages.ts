/** The languages that the console, e-mails and notices have. */

import { z } from "zod";

export const language = z.enum(["en", "zh"]);
export type Language = z.infer<typeof language>;

/** The language stored for a user; `""` means that it is not known yet. */
export const keptLanguage = z.enum([...language.options, ""]);
export type KeptLanguage = z.infer<typeof keptLanguage>;

/**
 * Chooses the language of an error message by the request's `Accept-Language`, which many programs
 * do not send.
 *
 * @param fallback for a request that names neither English nor Chinese.
 */
export function errorLanguage(acceptLanguage: string | null, fallback: Language): Language {
  if (acceptLanguage === null) return fallback;
  let best: Language = fallback;
  let bestQuality = 0;
  for (const range of acceptLanguage.slice(0, acceptLanguageMax).split(",")) {
    const [tag = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
    const named = language.safeParse(tag.split("-")[0]);
    const given = parameters.find((part) => part.startsWith("q="));
    const quality = given === undefined ? 1 : Number(given.slice(2));
    if (!named.success || !(quality > bestQuality)) continue;
    best = named.data;
    bestQuality = quality;
  }
  return best;
}

/** How much of an `Accept-Language` is read, in characters. Browsers send about a hundred. */
const acceptLanguageMax = 500;

/**
 * Chooses the language for a reader with these `tags`, which browsers send as `Accept-Language` and
 * programs as one tag. Readers of any language but Chinese get English.
 *
 * @returns `""` if no language is named.
 */
export function languageOf(tags: string): KeptLanguage {
  const [first = ""] = tags.split(/[,;]/);
  const [tag = ""] = first.trim().toLowerCase().split(/[-_]/);
  if (!/^[a-z]{2,3}$/.test(tag)) return "";
  return tag === "zh" ? "zh" : "en";
}
