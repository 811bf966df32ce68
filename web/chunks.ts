/**
 * Which module of the console goes into which file. A browser on a slow line pays a round trip for
 * each file it discovers, so a screen is a few files instead of one for each module; many small
 * files also compress worse. e2e/budgets.spec.ts weighs and counts them.
 *
 * A layer is everything that its entries import statically, without the layers before it. So files
 * import only files of earlier layers, and never wait for each other in a circle.
 */

import { fileURLToPath } from "node:url";

const lists = [
  "features/channels/ChannelsScreen.tsx",
  "features/tokens/TokensScreen.tsx",
  "features/logs/LogsScreen.tsx",
  "features/users/UsersScreen.tsx",
  "features/audit/AuditScreen.tsx",
];

/** Filters of lists use it without a form, so it is a chunk of its own. */
const choices = "ui/controls/Combobox.tsx";

/** Files that open a form; each becomes one chunk with everything that only it uses. */
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

/** The chunks that every visit starts with, in the order in which they load. */
const starts = {
  main: ["main.tsx", "features/sign-in/LoginScreen.tsx"],
  // The sign-in methods other than the password, and the second factor.
  methods: [
    "features/sign-in/OtherMethods.tsx",
    "features/sign-in/PasskeyButton.tsx",
    "features/sign-in/SecondFactorStep.tsx",
  ],
  // The frame around every other screen. The drawer is part of it because it must open without a
  // connection, too.
  console: ["app/shell/ConsoleShell.tsx", "app/shell/PhoneDrawer.tsx"],
};

/**
 * Modules whose index imports far more than an importer uses, so their imports are not followed.
 */
const barrels =
  /node_modules\/(lucide-react\/dist\/esm\/icons|@tanstack\/react-query\/build\/modern\/(use|suspense|mutationOptions|infinite))/;

/**
 * Libraries whose used parts belong to the first chunk, whichever file uses them: together they are
 * a few kilobytes.
 */
const starting = /node_modules\/(lucide-react|@tanstack\/(react-query|query-core))\/|\/index\.html/;

/** An icon; they are too small for chunks of their own. */
const icon = /node_modules\/lucide-react\/dist\/esm\/icons\/([\w-]+)\.mjs$/;

/** The index of all icons, and a line of it: the names of an icon, and its file. */
const iconIndex = /node_modules\/lucide-react\/dist\/esm\/lucide-react\.mjs$/;
const iconExport = /export \{([^}]*)\} from ["']\.\/icons\/([\w-]+)\.mjs["']/g;
const iconImport = /import\s*\{([^}]*)\}\s*from\s*["']lucide-react["']/g;

/** What the bundler tells about a module. */
type Graph = (id: string) => {
  readonly importedIds: readonly string[];
  readonly dynamicallyImportedIds: readonly string[];
  readonly code: string | null;
} | null;

/** Finds the chunk of a module; null: the bundler decides, by the dynamic imports. */
export function openPlaces(graph: Graph): (id: string) => string | null {
  const places = placeModules(graph);
  const iconPlaces = placeIcons(places, graph);
  return (id) => {
    const iconFile = icon.exec(id)?.[1];
    if (iconFile !== undefined) return iconPlaces.get(iconFile) ?? "lists";
    return places.get(id) ?? (starting.test(id) ? "main" : null);
  };
}

/** Icon → chunk, for those that are shown before a list is. */
function placeIcons(places: ReadonlyMap<string, string>, graph: Graph): Map<string, string> {
  const fileOf = new Map<string, string>();
  const index = [...places.keys()].find((id) => iconIndex.test(id)) ?? "";
  for (const [, names = "", file = ""] of (graph(index)?.code ?? "").matchAll(iconExport)) {
    for (const name of names.split(",")) fileOf.set(name.split(" as ")[1]?.trim() ?? "", file);
  }
  const found = new Map<string, string>();
  // The first chunk comes last, because what it needs must not be in the second.
  for (const [chunk, layers] of [
    ["console", ["console"]],
    ["main", ["main", "methods"]],
  ] as const) {
    for (const [id, layer] of places) {
      if (!layers.some((name) => name === layer) || id === index) continue;
      for (const name of iconsOf(graph(id)?.code ?? "")) found.set(fileOf.get(name) ?? name, chunk);
    }
  }
  return found;
}

/** The icons that a module imports. */
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
  for (const id of importersOf([idOf(choices)], graph).keys()) place(id, "choices");
  for (const [id, sheetCount] of inSheets) {
    if (sheetCount > 1) place(id, "forms");
  }
  for (const [id, name] of ownedByScreens(graph)) place(id, name);
  return places;
}

/** Modules that only one screen needs, with the name of that screen. */
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
    // The screen, and the parts that only the screen or these parts import.
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

/** Each module that `ids` import statically, also through others, with those of `ids`. */
function importersOf(ids: Iterable<string>, graph: Graph): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const from of ids) {
    for (const id of importedBy(from, graph)) {
      found.set(id, (found.get(id) ?? new Set()).add(from));
    }
  }
  return found;
}

/** A module and everything that it imports statically. */
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
