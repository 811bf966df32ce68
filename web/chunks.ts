/**
 * Decides which output file (chunk) each module of the console goes into. On a slow line every file
 * that the browser discovers costs a round trip, and many small files compress worse, so a screen
 * is a few files instead of one for each module. e2e/budgets.spec.ts checks the size and number of
 * these files.
 *
 * A layer is a set of entry files with everything that they import statically, minus what an
 * earlier layer already contains. So a file imports only files of earlier layers, and no two files
 * wait for each other in a circle.
 */

import { fileURLToPath } from "node:url";

const lists = [
  "features/channels/ChannelsScreen.tsx",
  "features/tokens/TokensScreen.tsx",
  "features/logs/LogsScreen.tsx",
  "features/users/UsersScreen.tsx",
  "features/audit/AuditScreen.tsx",
];

/** Modules of lists that only some lists use, but that are too small for a chunk of their own. */
const listParts = [
  "ui/table/cells/CopyCell.tsx",
  "ui/table/tools/choice-filter.ts",
  "widgets/chat/use-open-chat.ts",
  "widgets/help/terms.ts",
  "widgets/tokens/BudgetBars.tsx",
  "widgets/tokens/KeyText.tsx",
  "widgets/tokens/token-state.ts",
  "../../contract/src/fields/channel-fields.ts",
  "../../contract/src/endpoints/channel-probes.ts",
  "../../contract/src/endpoints/channels.ts",
  "../../contract/src/endpoints/log-answers.ts",
  "../../contract/src/logs/tags.ts",
];

/**
 * The combobox is a chunk of its own: on screens without a form it is loaded when a filter is first
 * used (`ui/table/tools/LateCombobox.tsx`).
 */
const choices = "ui/controls/Combobox.tsx";

/** Pages that the operator wrote: few installations have any, and then also a notice above the lists. */
const content = "widgets/content/OperatorPage.tsx";

/**
 * Small modules that the home page, the dashboard or the settings share with other screens: together
 * they are one chunk, and these pages load no form for their sake.
 */
const parts = [
  "ui/controls/Segmented.tsx",
  "ui/copy/CodeBlock.tsx",
  "ui/layout/SectionLinks.tsx",
  "widgets/money/BillingFormula.tsx",
  "widgets/money/charge-formula.ts",
  "widgets/money/model-prices.ts",
  "../../contract/src/fields/time-zone.ts",
];

/**
 * Modules that open a form. Each group becomes one chunk, with everything that only this group
 * uses.
 */
const sheets = [
  ["features/channels/form/ChannelSheet.tsx"],
  ["features/tokens/TokenSheet.tsx"],
  ["features/users/UserSheet.tsx"],
  [
    "app/settings/SettingsScreen.tsx",
    "features/account/AccountScreen.tsx",
    "features/options/OptionsTab.tsx",
    "features/prices/PricesScreen.tsx",
    "features/security/SecurityScreen.tsx",
  ],
];

/**
 * The settings are two chunks: what every user needs of them, the palette too, and the forms of
 * options and prices, which only root sees.
 */
const settings = {
  options: ["app/settings/SettingsScreen.tsx"],
  settings: [
    "features/options/OptionsTab.tsx",
    "features/options/FoundOptions.tsx",
    "features/prices/PricesScreen.tsx",
  ],
};

/** The chunks that every visit starts with, in the order in which they load. */
const starts = {
  main: [
    "main.tsx",
    "features/sign-in/LoginScreen.tsx",
    // Small modules that the first screens share with lists and with the settings.
    "ui/feedback/Skeleton.tsx",
    "ui/markdown/Markdown.tsx",
    "widgets/content/operator-text.ts",
    "../../contract/src/endpoints/mail.ts",
  ],
  // The second factor: of a sign-in, of the account's security, and before a step-up.
  factor: ["features/sign-in/SecondFactorStep.tsx"],
  // The frame around every screen except sign-in. The drawer is part of this chunk because it must
  // open without a connection, too; the others are shown by many screens.
  console: [
    "app/shell/ConsoleShell.tsx",
    "app/shell/PhoneDrawer.tsx",
    "ui/feedback/LiveDot.tsx",
    "ui/layout/Card.tsx",
    "ui/picture/Picture.tsx",
    "widgets/models/ModelBadge.tsx",
    "widgets/server/server-url.ts",
  ],
};

/**
 * Modules whose own imports are not followed, because they import far more than what is used of
 * them.
 */
const barrels =
  /node_modules\/(lucide-react\/dist\/esm\/icons|@tanstack\/react-query\/build\/modern\/(use|suspense|mutationOptions|infinite))/;

/**
 * Libraries whose used modules go into the chunk `main`, whichever file uses them: together they
 * are a few kilobytes.
 */
const starting = /node_modules\/(lucide-react|@tanstack\/(react-query|query-core))\/|\/index\.html/;

/** The module of one icon; icons are too small for chunks of their own. */
const icon = /node_modules\/lucide-react\/dist\/esm\/icons\/([\w-]+)\.mjs$/;

/**
 * The file with the index of all icons. `iconExport` matches one of its lines: the names of an
 * icon, and the icon's file.
 */
const iconIndex = /node_modules\/lucide-react\/dist\/esm\/lucide-react\.mjs$/;
const iconExport = /export \{([^}]*)\} from ["']\.\/icons\/([\w-]+)\.mjs["']/g;
const iconImport = /import\s*\{([^}]*)\}\s*from\s*["']lucide-react["']/g;

/** Looks up what the bundler knows about a module; null: the bundler does not know the module. */
type Graph = (id: string) => {
  readonly importedIds: readonly string[];
  readonly dynamicallyImportedIds: readonly string[];
  readonly code: string | null;
} | null;

/**
 * Returns a function that finds the chunk of a module; null: the bundler decides, by the dynamic
 * imports.
 */
export function openPlaces(graph: Graph): (id: string) => string | null {
  const places = placeModules(graph);
  const iconPlaces = placeIcons(places, graph);
  return (id) => {
    const iconFile = icon.exec(id)?.[1];
    if (iconFile !== undefined) return iconPlaces.get(iconFile) ?? "lists";
    return places.get(id) ?? (starting.test(id) ? "main" : null);
  };
}

/**
 * Returns the chunk of each icon that is shown before any list is; all other icons belong to
 * `lists`.
 */
function placeIcons(places: ReadonlyMap<string, string>, graph: Graph): Map<string, string> {
  const fileOf = new Map<string, string>();
  const index = [...places.keys()].find((id) => iconIndex.test(id)) ?? "";
  for (const [, names = "", file = ""] of (graph(index)?.code ?? "").matchAll(iconExport)) {
    for (const name of names.split(",")) fileOf.set(name.split(" as ")[1]?.trim() ?? "", file);
  }
  const found = new Map<string, string>();
  // `main` comes last, so that an icon that both chunks use is in `main`, which loads first.
  for (const [chunk, layers] of [
    ["console", ["console"]],
    ["main", ["main", "factor"]],
  ] as const) {
    for (const [id, layer] of places) {
      if (!layers.some((name) => name === layer) || id === index) continue;
      for (const name of iconsOf(graph(id)?.code ?? "")) found.set(fileOf.get(name) ?? name, chunk);
    }
  }
  return found;
}

/** Returns the icons that a module imports. */
function iconsOf(code: string): string[] {
  return [...code.matchAll(iconImport)].flatMap(([, names = ""]) =>
    names.split(",").map((name) => name.split(" as ")[0]?.trim() ?? ""),
  );
}

function placeModules(graph: Graph): ReadonlyMap<string, string> {
  const places = new Map<string, string>();
  const place = (id: string, name: string): void => {
    if (!places.has(id)) places.set(id, name);
  };
  for (const [name, paths] of Object.entries(starts)) {
    for (const id of importersOf(paths.map(idOf), graph).keys()) place(id, name);
  }
  const inSheets = new Map<string, number>();
  for (const parts of sheets) {
    for (const id of importersOf(parts.map(idOf), graph).keys()) {
      inSheets.set(id, (inSheets.get(id) ?? 0) + 1);
    }
  }
  for (const [id, { size }] of importersOf(lists.map(idOf), graph)) {
    const uses = size + (inSheets.get(id) ?? 0);
    if (size > 1 || uses > 2) place(id, "lists");
  }
  for (const path of listParts) place(idOf(path), "lists");
  for (const id of importersOf([idOf(content)], graph).keys()) place(id, "content");
  for (const id of importersOf(parts.map(idOf), graph).keys()) place(id, "parts");
  for (const id of importersOf([idOf(choices)], graph).keys()) place(id, "choices");
  for (const [id, sheetCount] of inSheets) {
    if (sheetCount > 1) place(id, "forms");
  }
  for (const [name, paths] of Object.entries(settings)) {
    for (const id of importersOf(paths.map(idOf), graph).keys()) place(id, name);
  }
  for (const [id, name] of ownedByScreens(graph)) place(id, name);
  return places;
}

/** Finds the modules that only one screen needs, each with the name of that screen. */
function ownedByScreens(graph: Graph): Map<string, string> {
  const demanders = new Map<string, string[]>();
  const seen = new Set<string>();
  const left = starts.main.map(idOf);
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const { importedIds = [], dynamicallyImportedIds = [] } = graph(id) ?? {};
    for (const part of dynamicallyImportedIds) {
      demanders.set(part, [...(demanders.get(part) ?? []), id]);
    }
    left.push(...importedIds, ...dynamicallyImportedIds);
  }
  const parts = importersOf(demanders.keys(), graph);
  const owned = new Map<string, string>();
  for (const screen of demanders.keys()) {
    if (!screen.endsWith("Screen.tsx")) continue;
    // Collects the screen and those of its dynamically imported parts that nothing else imports.
    const own = new Set([screen]);
    const isOwn = (id: string): boolean => {
      const users = parts.get(id);
      return users !== undefined && [...users].every((user) => own.has(user));
    };
    for (let size = 0; size !== own.size;) {
      size = own.size;
      for (const [part, ids] of demanders) if (ids.every(isOwn)) own.add(part);
    }
    for (const [id, users] of parts) {
      if (users.has(screen) && isOwn(id)) owned.set(id, nameOf(screen));
    }
  }
  return owned;
}

/**
 * Finds every module that `ids` import, directly or through other modules, with those of `ids` that
 * import it. Only static imports count.
 */
function importersOf(ids: Iterable<string>, graph: Graph): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const from of ids) {
    for (const id of importedBy(from, graph)) {
      found.set(id, (found.get(id) ?? new Set()).add(from));
    }
  }
  return found;
}

/**
 * Returns a module and everything that it imports statically, directly or through other modules.
 */
function importedBy(from: string, graph: Graph): Set<string> {
  const found = new Set<string>();
  const left = [from];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    if (found.has(id) || barrels.test(id)) continue;
    found.add(id);
    left.push(...(graph(id)?.importedIds ?? []));
  }
  return found;
}

function idOf(path: string): string {
  return fileURLToPath(new URL(`src/${path}`, import.meta.url));
}

function nameOf(id: string): string {
  return id.slice(id.lastIndexOf("/") + 1).replace(/\.\w+$/, "");
}
