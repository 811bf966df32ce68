/** What the gallery shows, as chosen in its address. */

import type { Language } from "#i18n/t.ts";

type GalleryChoice = {
  /** The part of the kit that is shown; null: all parts. */
  readonly part: string | null;
  readonly theme: "light" | "dark";
  readonly language: Language;
  /** Shows the part without the gallery's own bar, for screenshots. */
  readonly bare: boolean;
};

export function readChoice(): GalleryChoice {
  const query = new URLSearchParams(location.search);
  return {
    part: query.get("part"),
    theme: query.get("theme") === "dark" ? "dark" : "light",
    language: query.get("lang") === "en" ? "en" : "zh",
    bare: query.has("bare"),
  };
}

/** Returns the address of the gallery with some of the choices changed. */
export function addressOf(choice: GalleryChoice): string {
  const query = new URLSearchParams();
  if (choice.part !== null) query.set("part", choice.part);
  query.set("theme", choice.theme);
  query.set("lang", choice.language);
  return `?${query}`;
}
