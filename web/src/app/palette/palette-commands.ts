/** The commands of the palette besides records: screens, actions, theme, language. */

import {
  CircleHelp,
  FileText,
  House,
  Info,
  KeyRound,
  KeySquare,
  ListChecks,
  LogIn,
  type LucideIcon,
  MessagesSquare,
  Settings,
  Tags,
  UserPlus,
} from "lucide-react";
import type { Status } from "@tollgate/contract/endpoints/status.ts";
import { role, type ShortUser } from "@tollgate/contract/endpoints/users.ts";
import { languageNames, languages, type Language, type T, type TextKey } from "#i18n/t.ts";
import { menuGroups, type Screen } from "#app/screen.ts";
import { screens } from "#app/screens.ts";
import { chatPages, isShown, mayOpen } from "#app/shell/side-menu-entries.ts";
import { type Theme, themes } from "#app/theme.ts";
import { themeNames } from "#app/shell/theme-names.ts";
import { hasWords, withSameWords } from "./palette-words.ts";

type Page = { readonly address: string; readonly label: string; readonly Icon: LucideIcon };

/** Icons of screens that have no entry, and so no icon, in the side menu. */
const icons: Readonly<Record<string, LucideIcon>> = {
  "/": House,
  "/about": Info,
  "/help": CircleHelp,
  "/login": LogIn,
  "/pricing": Tags,
  "/query": KeySquare,
  "/register": UserPlus,
  "/reset": KeyRound,
  "/start": ListChecks,
};

/**
 * Screens that the palette does not offer, because they need an address or command of their own.
 */
const notPages: ReadonlySet<string> = new Set(["/chat", "/chat2link", "/setup", "/user/reset"]);

/** Screens that only visitors need, so the palette does not offer them to a signed-in user. */
const forVisitors: ReadonlySet<string> = new Set(["/login", "/register", "/reset"]);

const settingTabs = [
  ["operation", "palette.settingsOperation"],
  ["system", "palette.settingsSystem"],
  ["other", "palette.settingsOther"],
] as const satisfies readonly (readonly [string, TextKey])[];

/**
 * Returns the screens that a visitor (`session` is null) or user may open; for root also the tabs
 * of the settings.
 */
export function pagesFor(session: ShortUser | null, status: Status | undefined, t: T): Page[] {
  const pages = screens
    .filter((screen) => mayOpen(screen, session) && isShown(screen, status))
    .filter(({ path }) => !path.includes("$") && !notPages.has(path))
    .filter(({ path }) => session === null || !forVisitors.has(path))
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map(({ path, title, menu }) => ({
      address: path,
      label: t(title),
      Icon: menu?.icon ?? icons[path] ?? FileText,
    }));
  const isRoot = session !== null && session.role >= role.enum.root;
  const tabs = isRoot ? settingTabs : [];
  return [
    ...pages,
    ...chatPages(status).map(({ to, label }) => ({ address: to, label, Icon: MessagesSquare })),
    ...tabs.map(([tab, name]) => ({
      address: `/setting?tab=${tab}`,
      label: t(name),
      Icon: Settings,
    })),
  ];
}

/**
 * Returns a number to sort screens by: in the order of the side menu, then screens outside the
 * menu.
 */
function placeOf({ menu }: Screen): number {
  if (menu === null) return Number.MAX_SAFE_INTEGER;
  return menuGroups.indexOf(menu.group) * 1_000 + menu.order;
}

/** A command of the palette; the search compares the query with `words` and the label. */
export type Action =
  | {
      readonly kind: "open";
      readonly address: string;
      readonly label: string;
      readonly words: string;
    }
  | {
      readonly kind: "test-all" | "sign-out" | "notice" | "copy-address";
      readonly label: string;
      readonly words: string;
    };

export function actionsFor(session: ShortUser | null, hasNotice: boolean, t: T): Action[] {
  const rank = session?.role ?? 0;
  const open = (address: string, label: string, words: string): Action => ({
    kind: "open",
    address,
    label,
    words,
  });
  return [
    ...(rank >= role.enum.user
      ? [open("/token?open=new", t("palette.newToken"), "new add create token key")]
      : []),
    ...(rank >= role.enum.admin
      ? [
          open("/channel?open=new", t("palette.newChannel"), "new add create channel"),
          { kind: "test-all", label: t("palette.testAll"), words: "test all channels" } as const,
          open("/user?open=new", t("palette.newUser"), "new add create user"),
        ]
      : []),
    { kind: "copy-address", label: t("palette.copyAddress"), words: "copy base url api" },
    ...(hasNotice
      ? [{ kind: "notice", label: t("shell.notice"), words: "notice news" } as const]
      : []),
    ...(rank >= role.enum.user
      ? [{ kind: "sign-out", label: t("app.logout"), words: "sign out log out logout" } as const]
      : []),
  ];
}

export type Look =
  | {
      readonly kind: "theme";
      readonly theme: Theme;
      readonly label: string;
      readonly words: string;
    }
  | {
      readonly kind: "language";
      readonly language: Language;
      readonly label: string;
      readonly words: string;
    };

export function looks(t: T): Look[] {
  return [
    ...themes.map((theme) => ({
      kind: "theme" as const,
      theme,
      label: t("palette.themeTo", { theme: t(themeNames[theme]) }),
      words: `theme ${theme} day night mode`,
    })),
    ...languages.map((language) => ({
      kind: "language" as const,
      language,
      label: t("palette.languageTo", { language: languageNames[language] }),
      words: `language ${language} 语言 chinese english`,
    })),
  ];
}

/**
 * Finds the commands that match a query. First come those whose label begins with the query, then
 * those whose label contains it, then those that match by a synonym or in the other language.
 */
export function find<Found extends { readonly label: string; readonly titles?: string }>(
  query: string,
  all: readonly Found[],
  wordsOf: (one: Found) => string,
): Found[] {
  const wanted = query.trim();
  if (wanted === "") return [...all];
  const found = all.filter((one) =>
    hasWords(wanted, withSameWords(`${one.label}\n${wordsOf(one)}`)),
  );
  const place = ({ label, titles = "" }: Found): number => {
    const at = label.toLowerCase().indexOf(wanted.toLowerCase());
    if (at >= 0) return Math.min(at, 1);
    return hasWords(wanted, withSameWords(`${label}\n${titles}`)) ? 2 : 3;
  };
  return found.toSorted((a, b) => place(a) - place(b));
}
