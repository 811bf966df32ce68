/**
 * The texts that every row needs. They are looked up once a table and filled in by `replace`,
 * because looking up six texts in each of a hundred rows would be a tenth of the time to draw a
 * page.
 */

import { createContext, use, useMemo } from "react";
import { t as presentT, type T, useT } from "#i18n/t.ts";
import { makeTimeWords, type TimeWords } from "./relative-time.ts";

type RowWords = {
  readonly select: (name: string) => string;
  readonly details: (name: string) => string;
  readonly more: (name: string) => string;
  readonly actionOn: (action: string, name: string) => string;
  readonly copy: (name: string) => string;
  readonly copied: string;
  readonly time: TimeWords;
};

/** The texts of the surrounding table; null outside of tables. */
export const RowWordsContext = createContext<RowWords | null>(null);

/** Looks the texts up once, for the component that draws the rows. */
export function useMakeRowWords(): RowWords {
  const t = useT();
  return useMemo(() => makeRowWords(t), [t]);
}

/**
 * Returns the table's texts to its cells. Outside of a table, a cell does not notice a change of
 * language by itself; its parent redraws it.
 */
export function useRowWords(): RowWords {
  return use(RowWordsContext) ?? presentWords();
}

let present: { readonly language: string; readonly words: RowWords } | undefined;

function presentWords(): RowWords {
  const language = document.documentElement.lang;
  if (present?.language !== language) present = { language, words: makeRowWords(presentT) };
  return present.words;
}

/** Placeholders that `replace` fills with values. They are characters that no text contains. */
const first = "\u0001";
const second = "\u0002";

function makeRowWords(t: T): RowWords {
  const actionOn = t("ui.tableActionOn", { action: first, name: second });
  return {
    select: filler(t("ui.tableSelect", { name: first })),
    details: filler(t("ui.tableDetails", { name: first })),
    more: filler(t("ui.tableMoreOf", { name: first })),
    actionOn: (action, name) => filler(actionOn)(action).replace(second, () => name),
    copy: filler(t("ui.tableCopy", { name: first })),
    copied: t("ui.tableCopied"),
    time: makeTimeWords(t("ui.tableJustNow"), document.documentElement.lang),
  };
}

function filler(text: string): (name: string) => string {
  return (name) => text.replace(first, () => name);
}
