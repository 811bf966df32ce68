/** The languages that the console, e-mails and notices have. */

import { z } from "zod";

export const language = z.enum(["en", "zh"]);
export type Language = z.infer<typeof language>;

/** The language stored for a user; `""` means that it is not known yet. */
export const keptLanguage = z.enum([...language.options, ""]);
export type KeptLanguage = z.infer<typeof keptLanguage>;

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
