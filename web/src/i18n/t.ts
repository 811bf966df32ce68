/**
 * The texts that people read, by key: `t("tokens.create")`, `t("ui.selected", { count: 3 })`. A key
 * is `<area>.<name>` and is in `zh/<area>.json` and `en/<area>.json`; a missing key is a type
 * error. `catalogues.test.ts` finds unused keys by their literal text, so the code writes them out
 * in full, except the derived ones of `kind-keys.ts`.
 */

import i18next, { type FormatterModule, type ParseKeys, type TFunction } from "i18next";
import { openMessages, type TranslateMessage } from "@tollgate/contract/words/server-messages.ts";
import { initReactI18next, useTranslation } from "react-i18next";
import { storageKey } from "#page/base-path.ts";
import { type Area, areas, type AreaTexts } from "./areas.ts";
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

/** The name of each language in that language, so that its readers recognise it. */
export const languageNames: Readonly<Record<Language, string>> = { zh: "简体中文", en: "English" };

/** Key in local storage for the chosen language; the specification defines it. */
export const languageKey = storageKey("i18nextLng");

/** The function that turns a key into text. Components pass it to code that is not a component. */
export type T = TFunction;

/** A key that both catalogues contain. */
export type TextKey = ParseKeys;

/** Returns `t` for a component; the component is drawn again when the language changes. */
export function useT(): T {
  return useTranslation().t;
}

/**
 * Returns the text of a key that is derived from a name (see `kind-keys.ts`); null: the catalogues
 * do not have it.
 * @param translate the `t` of the calling component, so that the component is drawn again in
 * another language.
 */
export function textOrNull(
  key: string,
  translate: T,
  values: Readonly<Record<string, string>> = {},
): string | null {
  // `T` accepts only keys that are known at compile time; here `exists` has checked the key.
  const untyped = translate as (key: string, values: object) => string;
  return i18next.exists(key) ? untyped(key, values) : null;
}

/**
 * Returns the current language, for a component; the component is drawn again when the language
 * changes.
 */
export function useLanguage(): Language {
  return asLanguage(useTranslation().i18n.language);
}

/** Turns a key into text in code outside of components; works after the first `setLanguage`. */
export const t: T = i18next.t;

/**
 * Chooses the language to start with: the stored one, else the browser's if it is English, else
 * Chinese.
 */
export function preferredLanguage(): Language {
  const stored = localStorage.getItem(languageKey);
  return asLanguage(stored ?? navigator.language);
}

/** How values are written into a text: the digits of `{{count}}` are grouped, as in 12,345. */
const values: FormatterModule = {
  type: "formatter",
  init: () => {},
  add: () => {},
  addCached: () => {},
  format(value: unknown, _, __, { interpolationkey: name } = {}) {
    if (typeof value !== "number") return typeof value === "string" ? value : "";
    return name === "count" ? value.toLocaleString("en-US") : String(value);
  },
};

/**
 * Loads the texts of a language and switches to it. Called before the first paint and at every
 * change.
 */
export async function setLanguage(language: Language): Promise<void> {
  const catalogue = await loadCatalogue(language);
  if (!i18next.isInitialized) {
    await i18next
      .use(initReactI18next)
      .use(values)
      .init({
        lng: language,
        // The catalogue is copied, because i18next adds the texts of screens to this object.
        resources: { [language]: { translation: { ...catalogue } } },
        interpolation: { escapeValue: false, alwaysFormat: true },
        returnNull: false,
      });
  } else {
    i18next.addResourceBundle(language, "translation", { ...catalogue }, true, true);
  }
  await Promise.all([...wanted].map((area) => addTexts(language, area)));
  if (areMessagesWanted) await openServerMessages(language);
  await i18next.changeLanguage(language);
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
}

/** The areas that were loaded so far; when the language changes, they are loaded in the new one. */
const wanted = new Set<Area>();

/** Loads the texts of an area together with a screen's module, and resolves to the module. */
export async function withTexts<Loaded>(area: Area, loading: Promise<Loaded>): Promise<Loaded> {
  wanted.add(area);
  const [loaded] = await Promise.all([loading, addTexts(asLanguage(i18next.language), area)]);
  return loaded;
}

async function addTexts(language: Language, area: Area): Promise<void> {
  const { default: texts } = await areas[area][language]();
  i18next.addResourceBundle(language, "translation", { [area]: texts }, true, true);
}

/** Loads the texts that every page needs. */
async function loadCatalogue(language: Language): Promise<typeof zh> {
  return language === "zh" ? (await import("./zh.ts")).zh : (await import("./en.ts")).en;
}

/** Translates the server's messages, in the languages whose translations are loaded. */
const openedMessages = new Map<Language, TranslateMessage>();

/** Whether a page has shown messages of the server; they are then loaded with every language. */
let areMessagesWanted = false;

/**
 * Loads the translations of the server's messages. They are not part of the catalogue, because the
 * English ones are large and the sign-in screen shows one only when a call is refused.
 */
export async function loadServerMessages(): Promise<void> {
  areMessagesWanted = true;
  await openServerMessages(asLanguage(i18next.language));
}

async function openServerMessages(language: Language): Promise<void> {
  if (openedMessages.has(language)) return;
  const messages =
    language === "zh"
      ? (await import("./zh.ts")).messages
      : (await import("@tollgate/contract/words/server-messages.en.json")).default;
  openedMessages.set(language, openMessages(messages));
}

/**
 * Translates a message of the server into the current language; returns it unchanged if it has no
 * translation, or if the translations are not loaded (`loadServerMessages`).
 *
 * @param showQuota formats an amount, which the server gives in quota units.
 */
export function translateServerMessage(
  message: string,
  showQuota?: (quota: number) => string,
): string {
  const translate = openedMessages.get(asLanguage(i18next.language));
  return translate?.(message, showQuota) ?? message;
}

const choiceListeners = new Set<(language: Language) => void>();

/** Registers a function that is called when the user chooses a language. */
export function onLanguageChosen(listener: (language: Language) => void): void {
  choiceListeners.add(listener);
}

/** Switches to the language that the user chose, and stores the choice. */
export async function chooseLanguage(language: Language): Promise<void> {
  localStorage.setItem(languageKey, language);
  for (const listener of choiceListeners) listener(language);
  await setLanguage(language);
}

function asLanguage(text: string | undefined): Language {
  return text?.toLowerCase().startsWith("en") === true ? "en" : "zh";
}
