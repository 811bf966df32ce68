/** Settings that the command palette finds by any word of their texts, in both languages. */

import { queryOptions } from "@tanstack/react-query";
import { optionSections, type OptionName } from "@tollgate/contract/options/options.ts";
import { unreadOptions } from "@tollgate/contract/options/options-unread.ts";
import { areas } from "#i18n/areas.ts";
import { helpKey, optionKey, sectionKey } from "#i18n/kind-keys.ts";
import { type Language, languages } from "#i18n/t.ts";
import { withSameWords } from "./palette-words.ts";

type FoundSetting = {
  readonly address: string;
  readonly label: string;
  /** The title of the section or tab that contains the setting. */
  readonly hint: string;
  /** The setting's label in both languages, so that it is found by either. */
  readonly titles: string;
  /** All text that the search compares with the query. */
  readonly words: string;
};

type Texts = Readonly<Record<string, unknown>>;
type Catalogues = Readonly<Record<Language, { readonly settings: Texts; readonly account: Texts }>>;

/**
 * The sections of the account page: the text key of each title, and the section's anchor in the
 * address.
 */
const accountParts = [
  ["account", "account"],
  ["password", "password"],
  ["security", "security"],
  ["sessions", "sessions"],
  ["bindings", "bindings"],
  ["accessToken", "access-token"],
  ["models", "models"],
  ["invitations", "invitations"],
  ["notices", "notices"],
  ["history", "history"],
  ["delete", "delete"],
] as const;

/**
 * Returns the query that reads the settings. It never becomes stale, because the texts do not
 * change while the page is open.
 */
export function settingsQuery(language: Language, isRoot: boolean) {
  return queryOptions({
    queryKey: ["palette", "settings", language, isRoot],
    queryFn: async () => settingsOf(await readCatalogues(), language, isRoot),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

async function readCatalogues(): Promise<Catalogues> {
  const read = async (language: Language) => {
    const [settings, account] = await Promise.all([
      areas.settings[language](),
      areas.account[language](),
    ]);
    return { settings: settings.default, account: account.default };
  };
  const [zh, en] = await Promise.all([read("zh"), read("en")]);
  return { zh, en };
}

/**
 * Returns the sections of the user's own account page and, for root, every section and option that
 * is shown.
 */
export function settingsOf(
  catalogues: Catalogues,
  language: Language,
  isRoot: boolean,
): readonly FoundSetting[] {
  const textsOf = (area: "account" | "settings", key: string): string[] =>
    languages.flatMap((each) => {
      const text = catalogues[each][area][key];
      return typeof text === "string" ? [text] : [];
    });
  const shown = (area: "account" | "settings", key: string): string => {
    const text = catalogues[language][area][key];
    return typeof text === "string" ? text : key;
  };
  const personal = accountParts.map(([key, anchor]) => ({
    address: `/setting?tab=personal#${anchor}`,
    label: shown("account", key),
    hint: shown("settings", "tabPersonal"),
    titles: textsOf("account", key).join("\n"),
    words: withSameWords(
      [anchor, ...textsOf("account", key), ...textsOf("account", helpKey(key))].join("\n"),
    ),
  }));
  if (!isRoot) return personal;
  const options = optionSections.flatMap(({ tab, name, keys }) => {
    const title = bare(sectionKey(name));
    const read = keys.filter((key) => !Object.hasOwn(unreadOptions, key));
    const titles = textsOf("settings", title);
    const entry = (key: string, anchor: string, texts: readonly string[]): FoundSetting => ({
      address: `/setting?tab=${tab}#${anchor}`,
      label: shown("settings", key),
      hint: key === title ? shown("settings", tabKeys[tab]) : shown("settings", title),
      titles: textsOf("settings", key).join("\n"),
      words: withSameWords(texts.join("\n")),
    });
    const own = (key: OptionName): FoundSetting => {
      const label = bare(optionKey(key));
      return entry(label, key, [
        key,
        ...textsOf("settings", label),
        ...textsOf("settings", helpKey(label)),
        ...titles,
      ]);
    };
    if (read.length === 0) return [];
    return [entry(title, name, titles), ...read.map(own)];
  });
  return [...options, ...personal];
}

const tabKeys = { operation: "tabOperation", system: "tabSystem", other: "tabOther" } as const;

/** Removes the area from a text key: `settings.RetryTimes` → `RetryTimes`. */
function bare(key: string): string {
  return key.slice(key.indexOf(".") + 1);
}
