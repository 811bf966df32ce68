import { readdirSync } from "node:fs";
import { defineConfig } from "oxlint";

/**
 * The layers of the architecture, enforced by lint. A folder may import itself, the folders and
 * files on its line, `contract`, and packages not withheld below. Imports inside a folder start
 * with `./`, all others with `#`. Files that are not listed (`main.ts`, `context.ts` and the like,
 * `server/test`) join the layers and may import any of them.
 */
const mayImport = {
  "contract/src": [],
  "demo/src": [],

  "server/src/base": [],
  "server/src/canonical": ["base"],
  "server/src/formats": ["base", "canonical"],
  "server/src/platforms": ["base", "canonical", "http", "network"],
  "server/src/providers": ["base", "canonical", "formats", "platforms"],
  "server/src/ports": ["base", "canonical", "formats", "http", "network", "platforms", "providers"],
  "server/src/db": ["base"],
  "server/src/http1": ["base"],
  "server/src/websocket": ["base"],
  "server/src/network": ["base", "http1", "websocket"],
  "server/src/http": ["base", "http1", "websocket"],
  "server/src/jobs": ["base"],
  "server/src/limits": ["base"],
  "server/src/pages": ["base", "http"],
  "server/src/startup": ["base", "db"],
  "server/src/modules": [
    "base",
    "canonical",
    "db",
    "http",
    "jobs",
    "network",
    "platforms",
    "ports",
    "providers",
  ],
  "server/src/relay": [
    "base",
    "canonical",
    "formats",
    "http",
    "network",
    "platforms",
    "ports",
    "providers",
    "websocket",
  ],
  "server/src/metrics": ["base", "relay"],
  "server/src/workers": ["base", "canonical", "db", "formats", "modules", "providers", "relay"],

  "web/src/page": [],
  "web/src/i18n": ["page"],
  "web/src/display": ["i18n"],
  "web/src/api": ["page"],
  "web/src/ui": ["i18n", "page"],
  "web/src/widgets": ["api", "display", "i18n", "page", "ui"],
  "web/src/features": ["api", "display", "i18n", "page", "ui", "widgets"],
  // Each feature's screen is open too, because `screens.ts` loads it when it is shown.
  "web/src/app": ["api", "display", "i18n", "page", "ui", "widgets"],
} as const satisfies Record<string, readonly string[]>;

/** `modules/<noun>/<noun>.ts` is public; workers also run its `*.store.ts` beside the database. */
const nouns = readdirSync(new URL("server/src/modules", import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);
const publicModules = [
  "!#modules/module.ts",
  ...nouns.map((noun) => `!#modules/${noun}/${noun}.ts`),
];
const moduleStores = nouns.map((noun) => `!#modules/${noun}/*.store.ts`);

/**
 * Folders whose subfolders may be imported only through the files named here, also by one another.
 */
const closedFolders: Record<string, readonly string[]> = {
  modules: publicModules,
  // A format knows no other format, and code that uses formats names none of them.
  formats: [
    "!#formats/format.ts",
    "!#formats/conversion.ts",
    "!#formats/conversion-registry.ts",
    "!#formats/later-turns.ts",
    "!#formats/live.ts",
    "!#formats/registry.ts",
    "!#formats/shared/**",
    "!#formats/translation.ts",
    "!#formats/translation-registry.ts",
  ],
  features: [], // nothing: what two features need moves to widgets/
};

/**
 * Nouns whose job is another one's insides: the proof computes again what the ledger has written,
 * from the same chains, causes and records.
 */
const mayLookInto: Readonly<Record<string, readonly string[]>> = { proof: ["ledger"] };

/** Packages that only these folders may import, so that each job has one home. */
const withheldPackages: Record<string, readonly string[]> = {
  "bun:sqlite": ["server/src/db"],
  kysely: ["server/src/db", "server/src/modules"],
  pg: ["server/src/db", "server/src/workers"],
  react: ["web/src/app", "web/src/ui", "web/src/widgets", "web/src/features"],
  "@base-ui/react": ["web/src/ui"],
  "@codemirror": ["web/src/ui"],
  "@opentelemetry": ["server/src/workers"],
  "@tanstack/react-query": ["web/src/app", "web/src/features"],
  "@tanstack/react-table": ["web/src/ui"],
  "@tanstack/react-virtual": ["web/src/ui"],
  cmdk: ["web/src/ui"],
  "qrcode.react": ["web/src/ui"],
  "react-day-picker": ["web/src/ui"],
  "react-hook-form": ["web/src/ui"],
  shiki: ["web/src/ui"],
  streamdown: ["web/src/ui"],
  zod: [
    "contract/src",
    "demo/src",
    "web/src/api",
    "web/src/features",
    "web/src/ui",
    "web/src/widgets",
    "server/src/formats",
    "server/src/http",
    "server/src/modules",
    "server/src/providers",
  ],
};

/**
 * @param noun a folder of a closed folder: its own files may import all of it.
 * @param isTest for tests and their `testing/` folders: the same layers, and every `testing/`
 * folder of these. Product code imports none.
 */
function layerRule(
  folder: string,
  allowed: readonly string[],
  { noun = null, isTest }: { readonly noun?: string | null; readonly isTest: boolean },
) {
  const own = folder.split("/").at(-1) ?? folder;
  const packages = Object.keys(withheldPackages)
    .filter((name) => !withheldPackages[name]?.includes(folder))
    .flatMap((name) => [name, `${name}/**`]);
  const opened = [...allowed, own].flatMap((name) => {
    if (name.endsWith(".ts")) return [`!#${name}`];
    return closedFolders[name] ?? [`!#${name}/**`];
  });
  const whole =
    noun === null ? [] : [noun, ...(mayLookInto[noun] ?? [])].map((name) => `!#${own}/${name}/**`);
  const stores = own === "workers" ? moduleStores : [];
  const screens = own === "app" ? ["!#features/*/*Screen.tsx"] : [];
  const helpers = [...allowed, own].flatMap((name) => [
    `#${name}/testing/**`,
    `#${name}/**/testing/**`,
  ]);
  const testing = isTest
    ? [...helpers.map((pattern) => `!${pattern}`), "!#testing/**"]
    : ["./testing/**", "./**/testing/**", ...helpers];
  const message = `${folder} may import: ${[...allowed, own].join(", ")}. See ARCHITECTURE.md.`;
  const path = noun === null ? folder : `${folder}/${noun}`;
  return {
    files: isTest
      ? [`${path}/**/*.test.ts`, `${path}/**/*.test.tsx`, `${path}/**/testing/**`]
      : [`${path}/**`],
    rules: {
      "no-restricted-imports": [
        "error",
        {
          patterns: [
            {
              group: ["#*/**", "#*.ts", ...opened, ...whole, ...stores, ...screens, ...testing],
              message,
            },
            { group: ["../**"], message: "Leave a folder with `#…`, never with `../`." },
            ...(packages.length > 0 ? [{ group: packages, message: `not in ${folder}` }] : []),
          ],
        },
      ],
    },
  };
}

/** The rules of a layer, and of each folder in it that is closed to the others. */
function layerRules([folder, allowed]: [string, readonly string[]]) {
  const name = folder.split("/").at(-1) ?? folder;
  const entries = name in closedFolders ? readdirSync(new URL(folder, import.meta.url)) : [];
  const nouns = entries.filter((entry) => entry !== "testing");
  return [null, ...nouns].flatMap((noun) => [
    layerRule(folder, allowed, { noun, isTest: false }),
    layerRule(folder, allowed, { noun, isTest: true }),
  ]);
}

export default defineConfig({
  plugins: ["import", "typescript", "unicorn", "react"],
  jsPlugins: ["./server/test/tree/linear-regexps.ts"],
  categories: { correctness: "error" },
  ignorePatterns: ["node_modules", "data", "dist", "**/fixtures/**"],
  rules: {
    curly: ["error", "multi-line"],
    eqeqeq: ["error", "always", { null: "ignore" }],
    "import/no-cycle": "error",
    "import/no-default-export": "error",
    "max-lines": ["error", { max: 400, skipBlankLines: false, skipComments: false }],
    "max-lines-per-function": ["error", { max: 70, skipBlankLines: true, skipComments: true }],
    "no-console": "error",
    "no-unused-vars": [
      "error",
      // A variable that only removes a field from a copy may be unused: `const { secret, ...shown }
      // = row`.
      { argsIgnorePattern: "^_", varsIgnorePattern: "^_", ignoreRestSiblings: true },
    ],
    "typescript/consistent-type-definitions": ["error", "type"],
    "typescript/consistent-type-imports": "error",
    "typescript/no-explicit-any": "error",
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/no-non-null-assertion": "error",
    // Spread into its code points, not its UTF-16 halves.
    "typescript/no-misused-spread": ["error", { allow: ["string"] }],
    // Functions of object literals have no `this` to lose, and the rule takes them for methods of
    // classes, of which there are few.
    "typescript/unbound-method": "off",
    "typescript/switch-exhaustiveness-check": [
      "error",
      { considerDefaultExhaustiveForUnions: true },
    ],
    "unicorn/filename-case": ["error", { cases: { kebabCase: true, pascalCase: true } }],
  },
  overrides: [
    {
      // What these read may come from a client or an upstream.
      files: ["contract/src/**", "server/src/**"],
      rules: { "tollgate/linear-regexp": "error" },
    },
    {
      files: ["**/*.test.ts", "**/testing/**"],
      rules: { "tollgate/linear-regexp": "off" },
    },
    {
      // These read the tables of gateways that run.
      files: ["bench/**", "e2e/**", "server/test/**"],
      rules: { "tollgate/reads-behind-books": "error" },
    },
    {
      // For files without a layer rule (later rules replace this one).
      files: ["demo/**", "server/**", "web/**", "e2e/**", "bench/**", "scripts/**"],
      rules: {
        "no-restricted-imports": [
          "error",
          {
            patterns: [
              { group: ["../**"], message: "Leave a folder with `#…`, never with `../`." },
            ],
          },
        ],
      },
    },
    ...Object.entries(mayImport).flatMap(layerRules),
    {
      files: ["**/*.config.ts", "server/test/tree/linear-regexps.ts"],
      rules: { "import/no-default-export": "off" },
    },
    {
      files: ["**/*.test.ts", "**/*.test.tsx", "e2e/**"],
      // bun:test types `expect(…).rejects` as if it were synchronous.
      rules: { "max-lines-per-function": "off", "typescript/await-thenable": "off" },
    },
    { files: ["**/*.tsx"], rules: { "max-lines-per-function": ["error", { max: 120 }] } },
  ],
});
