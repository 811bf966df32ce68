/**
 * Texts for people, by key: `t("tokens.create")`, `t("ui.selected", { count: 3 })`. A key is
 * `<area>.<name>` and is in `zh/<area>.json` and `en/<area>.json`; a missing one is a type
 * error. `catalogues.test.ts` finds unused ones, so keys are written out whole, except those that
 * follow from a name in the contract: `kind-keys.ts`.
 */

import i18next, { type ParseKeys, type TFunction } from "i18next";
import { initReactI18next, useTranslation } from "react-i18next";
import { type Area, areas, type AreaTexts } from "./areas.ts";
import { openMessages, type TranslateMessage } from "./server-messages.ts";
import type { zh } from "./zh.ts";

declare module "i18next" {
  // oxlint-disable-next-line typescript/consistent-type-definitions -- a library's interface is extended
  interface CustomTypeOptions {
    defaultNS: "translation";
    resources: { translation: typeof zh & AreaTexts };
  }
}

export const languages = ["zh", "en"] as const;
export type Language = (typeof languages)[number];

/** Each language is named in itself, so that its readers find it. */
export const languageNames: Readonly<Record<Language, string>> = { zh: "简体中文", en: "English" };

/** Key in local storage for the chosen language; the specification's. */
export const languageKey = "i18nextLng";

/** Turns a key into text; pass it to code that is not a component. */
export type T = TFunction;

/** A key that is in both catalogues. */
export type TextKey = ParseKeys;

/** `t` in the current language; a component that uses it is drawn again when that changes. */
export function useT(): T {
  return useTranslation().t;
}

/**
 * The text of a key that follows from a name, where it may be missing; null: it is.
 *
 * @param t of the component that shows it, so that it is drawn again in another language.
 */
export function textOrNull(
  key: string,
  translate: T,
  values: Readonly<Record<string, string>> = {},
): string | null {
  // The types of `T` know the keys that are written out; this one has just been looked up.
  const untyped = translate as (key: string, values: object) => string;
  return i18next.exists(key) ? untyped(key, values) : null;
}

/** The current language, in a component. */
export function useLanguage(): Language {
  return asLanguage(useTranslation().i18n.language);
}

/** For code outside components, after `startLanguage`. */
export const t: T = i18next.t;

/** The stored language, else the browser's, else Chinese. */
export function preferredLanguage(): Language {
  const stored = localStorage.getItem(languageKey);
  return asLanguage(stored ?? navigator.language);
}

/** Loads a catalogue and shows it; call it once before the first paint, then at every change. */
export async function setLanguage(language: Language): Promise<void> {
  const catalogue = await loadCatalogue(language);
  if (!i18next.isInitialized) {
    await i18next.use(initReactI18next).init({
      lng: language,
      // Copied, because i18next adds the texts of screens to it.
      resources: { [language]: { translation: { ...catalogue } } },
      interpolation: { escapeValue: false },
      returnNull: false,
    });
  } else {
    i18next.addResourceBundle(language, "translation", { ...catalogue }, true, true);
  }
  await Promise.all([...wanted].map((area) => addTexts(language, area)));
  await i18next.changeLanguage(language);
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
}

/** Areas whose screens were opened; a change of language loads them again. */
const wanted = new Set<Area>();

/** Loads the texts of a screen together with the screen; resolves to the screen's module. */
export async function withTexts<Loaded>(area: Area, loading: Promise<Loaded>): Promise<Loaded> {
  wanted.add(area);
  const [loaded] = await Promise.all([loading, addTexts(asLanguage(i18next.language), area)]);
  return loaded;
}

async function addTexts(language: Language, area: Area): Promise<void> {
  const { default: texts } = await areas[area][language]();
  i18next.addResourceBundle(language, "translation", { [area]: texts }, true, true);
}

/** The server's messages are Chinese, with a few exceptions; each language has a catalogue of them. */
async function loadCatalogue(language: Language): Promise<typeof zh> {
  if (language === "zh") {
    const chinese = await import("./zh.ts");
    translateMessage = openMessages(chinese.messages);
    return chinese.zh;
  }
  const [{ en }, { default: messages }] = await Promise.all([
    import("./en.ts"),
    import("./en/server.json"),
  ]);
  translateMessage = openMessages(messages);
  return en;
}

let translateMessage: TranslateMessage = () => undefined;

/**
 * The server's message in the current language; unchanged where there is no translation.
 *
 * @param showQuota writes amounts, which the server gives in quota units.
 */
export function translateServerMessage(
  message: string,
  showQuota?: (quota: number) => string,
): string {
  return translateMessage(message, showQuota) ?? message;
}

const choiceListeners = new Set<(language: Language) => void>();

/** Calls `listener` when the user has chosen a language. */
export function onLanguageChosen(listener: (language: Language) => void): void {
  choiceListeners.add(listener);
}

/** Changes the language and stores the choice. */
export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(languageKey, language);
  for (const listener of choiceListeners) listener(language);
  await setLanguage(language);
}

function asLanguage(text: string | undefined): Language {
  return text?.toLowerCase().startsWith("en") === true ? "en" : "zh";
}
