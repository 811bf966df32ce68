/**
 * Properties of the source tree that neither the compiler nor the linter can check. A failure
 * message names the file to change.
 */

import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import type { Kind } from "@tollgate/contract/kinds/kinds.ts";
import { noticeWays } from "@tollgate/contract/kinds/notice-ways.ts";
import { options } from "@tollgate/contract/options/options.ts";
import { unreadOptions } from "@tollgate/contract/options/options-unread.ts";
import { paymentProcessors } from "@tollgate/contract/kinds/payment-processors.ts";
import { signInMethods } from "@tollgate/contract/kinds/sign-in-methods.ts";
import { migrations } from "#db/migrations/index.ts";
import { formats } from "#formats/registry.ts";
import { senders } from "#modules/notifications/senders/registry.ts";
import { methods } from "#modules/identities/methods/registry.ts";
import { processors } from "#modules/payments/processors/registry.ts";
import { listProviders, providers } from "#providers/registry.ts";
import { findRuledOut, readRuledOut } from "#test/tree/glossary.ts";
import { readTree } from "#test/tree/sources.ts";
import { findUnusedExports } from "#test/tree/unused-exports.ts";
import { stores } from "#workers/stores.ts";
import { modules } from "./modules.ts";

const top = join(import.meta.dir, "../..");

type Source = { readonly path: string; readonly text: string };

/** Reads the source files of this project, sorted by path. */
function readSources(pattern: string): Source[] {
  const paths = [...new Bun.Glob(pattern).scanSync(top)]
    .filter((path) => !/(^|\/)(node_modules|fixtures|dist)\//.test(path))
    .toSorted(compareText);
  expect(paths, `files of ${pattern}`).not.toBeEmpty();
  return paths.map((path) => ({ path, text: readFileSync(join(top, path), "utf8") }));
}

/** Folders that have one file per entry of a list, so they grow with the list. */
const listsOfEntries = [
  "contract/src/endpoints",
  "server/src/db/migrations",
  "server/src/providers",
];

/**
 * Folders of one file that exist. A new file goes to a folder that there is, until a second one
 * shares its subject; what is left of these moves there too, so the list may only become shorter.
 */
const foldersOfOne: readonly string[] = [
  "server/src/base/memory",
  "server/src/base/process",
  "server/src/formats/shared/names",
  "server/src/formats/shared/tiers",
  "server/src/jobs",
  "web/src/page",
];

/** Folders that stand for an entry of a list, whatever they hold. */
const entryFolder =
  /^server\/src\/(formats|modules)\/[\w-]+$|^web\/src\/(features|widgets)\/[\w-]+$/;

/** Lists the product's sources: no tests, and no helpers of tests. */
function readProductPaths(): string[] {
  const pattern = "{bench,contract,demo,e2e,scripts,server,web}/**/*.{css,mjs,ts,tsx}";
  const paths = [...new Bun.Glob(pattern).scanSync(top)].filter(
    (path) =>
      !/(^|\/)(node_modules|fixtures|dist|testing)\/|^server\/test\/|\.(test|spec)\.tsx?$/.test(
        path,
      ),
  );
  expect(paths.length).toBeGreaterThan(500);
  return paths;
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

const isTest = ({ path }: Source): boolean => /\.test\.tsx?$|\/testing\//.test(path);
const serverSources = readSources("server/src/**/*.ts").filter((source) => !isTest(source));

describe("lists", () => {
  // A sorted list has one place for a new line, so two additions rarely conflict.
  test("registries are sorted", () => {
    for (const registry of [
      formats,
      methods,
      migrations,
      modules,
      noticeWays,
      options,
      paymentProcessors,
      processors,
      providers,
      senders,
      signInMethods,
      stores,
      unreadOptions,
    ]) {
      expect(Object.keys(registry)).toEqual(Object.keys(registry).toSorted(compareText));
    }
  });

  test("every file in contract/src/kinds is a kind of one list, named by its id", () => {
    const files = readSources("contract/src/kinds/*.ts")
      .map(({ path }) => basename(path, ".ts"))
      .filter(
        (name) => !["kinds", "notice-ways", "payment-processors", "sign-in-methods"].includes(name),
      );
    const lists: readonly Readonly<Record<string, Kind>>[] = [
      noticeWays,
      paymentProcessors,
      signInMethods,
    ];
    const ids = lists.flatMap((list) => Object.entries(list).map(([key, { id }]) => [key, id]));

    expect(ids.filter(([key, id]) => key !== id)).toEqual([]);
    expect(ids.map(([key = ""]) => key).toSorted(compareText)).toEqual(files);
  });

  test("every notification way is sent from a file of its own", () => {
    const files = readSources("server/src/modules/notifications/senders/*.ts").map(({ path }) =>
      basename(path, ".ts"),
    );

    expect(Object.keys(noticeWays).filter((way) => !files.includes(way))).toEqual([]);
  });

  test("relay/ingress.ts lists served paths, then unserved ones, each sorted", () => {
    const [{ text } = { text: "" }] = readSources("server/src/relay/ingress.ts");
    const rows = [
      ...text.matchAll(
        /\{\s+method: "(\w+)",\s+path: "(\S+)",\s+format: \w+,\s+to: "([\w-]+)",?\s+\}/g,
      ),
    ].map(([, method = "", path = "", to = ""]) => ({
      method,
      path,
      served: to !== "unimplemented",
    }));
    const keys = (served: boolean): string[] =>
      rows.filter((row) => row.served === served).map(({ method, path }) => `${path} ${method}`);

    expect(rows).not.toBeEmpty();
    expect([...keys(true), ...keys(false)]).toEqual(
      rows.map(({ method, path }) => `${path} ${method}`),
    );
    for (const served of [true, false]) {
      expect(keys(served)).toEqual([...new Set(keys(served))].toSorted(compareText));
    }
  });

  test("workers/stores.ts names every store", () => {
    const files = readSources("server/src/modules/*/*.store.ts").map(({ path }) =>
      path.replace(/^server\/src\//, "#"),
    );
    const [{ text } = { text: "" }] = readSources("server/src/workers/stores.ts");

    expect(files.filter((path) => !text.includes(`from "${path}"`))).toEqual([]);
  });

  // If two providers had the same number, the keys of one would be sent to the other.
  test("no two providers share a channel type", () => {
    const types = listProviders().map(({ type }) => type);

    expect(types).toEqual([...new Set(types)]);
  });
});

describe("the console API", () => {
  test("every endpoint of the contract has exactly one handler", async () => {
    const promised = new Map<unknown, string>();
    for (const { path } of readSources("contract/src/{endpoints,options}/*.ts").filter(
      (source) => !isTest(source),
    )) {
      const exported: unknown = await import(join(top, path));
      for (const [name, value] of Object.entries(exported ?? {})) {
        if (isEndpoint(value)) promised.set(value, `${path} ${name}`);
      }
    }
    const handled = [];
    for (const { path } of readSources("server/src/modules/*/*.handlers.ts")) {
      handled.push(...endpointsOf(await import(join(top, path))));
    }

    expect(
      handled.map((each) => promised.get(each) ?? "of no contract").toSorted(compareText),
    ).toEqual([...promised.values()].toSorted(compareText));
  });

  test("every module is opened, and provides the handlers of its folder", () => {
    const [{ text: list } = { text: "" }] = readSources("server/src/modules.ts");
    const opened = readSources("server/src/modules/*/*.module.ts");
    const forgotten = readSources("server/src/modules/*/*.handlers.ts")
      .flatMap(({ path, text }) =>
        [...text.matchAll(/^export function (\w+Handlers)\(/gm)].map(([, name = ""]) => ({
          folder: path.slice(0, path.lastIndexOf("/") + 1),
          name,
        })),
      )
      .filter(
        ({ folder, name }) =>
          !opened.some(({ path, text }) => path.startsWith(folder) && text.includes(`${name}(`)),
      );

    expect(opened.filter(({ path }) => !list.includes(path.replace("server/src/", "#")))).toEqual(
      [],
    );
    expect(forgotten).toEqual([]);
  });

  // An option that nothing reads would be a setting on the screen without an effect.
  test("every option is read somewhere, or options-unread.ts says why not", () => {
    // A rule about other options does not count as reading an option.
    const rules = "server/src/modules/options/option-rules.ts";
    // The text of an option on the settings screen does not count as reading it either.
    const screen = /^web\/src\/(app\/settings|features\/options|i18n|widgets\/option-form)\//;
    const readers = [
      ...serverSources.filter(({ path }) => path !== rules),
      ...readSources("contract/src/money/charge*.ts"),
      ...(existsSync(join(top, "web/src")) ? readSources("web/src/**/*.{ts,tsx}") : []),
    ].filter((source) => !isTest(source) && !screen.test(source.path));
    const unread = Object.keys(options).filter(
      (name) => !readers.some(({ text }) => new RegExp(`["'.]${name}\\b|\\b${name}:`).test(text)),
    );

    expect(unread).toEqual(Object.keys(unreadOptions));
  });
});

describe("the tree", () => {
  // If two modules write a table, they may disagree about the meaning of its rows.
  test("every table is written by one module", () => {
    const writers = new Map<string, Set<string>>();
    for (const { path, text } of serverSources) {
      if (path.includes("/migrations/")) continue;
      for (const table of tablesWritten(text)) {
        const folder = /^server\/src\/(modules\/[\w-]+|[\w-]+)\//.exec(path)?.[1] ?? path;
        writers.set(table, (writers.get(table) ?? new Set()).add(folder));
      }
    }
    // Excluded, because in this table each row has its own key, and each key has one module that
    // writes it.
    writers.delete("meta");

    expect(writers.size).toBeGreaterThan(0);
    expect([...writers].filter(([, folders]) => folders.size > 1)).toEqual([]);
  });

  // An export should mean that other files use it. An unused one only makes changes harder.
  test("every export is imported by another file", () => {
    // Not imported yet, but kept: formats that are added later will decode to these types and
    // encode from them.
    const kept = ["server/src/canonical/event.ts", "server/src/canonical/request.ts"];
    const unused = findUnusedExports(readTree(top))
      .filter((name) => !kept.some((start) => name.startsWith(start)))
      // Excludes the composition files directly in server/src.
      .filter((name) => !/^server\/src\/[\w-]+\.ts /.test(name));

    expect(unused, "drop `export`, or the whole thing where nothing uses it").toEqual([]);
  });

  test("names of files and exports use words from the glossary", () => {
    const glossary = readFileSync(join(top, "docs/glossary.md"), "utf8");
    const product = readTree(top)
      .filter((source) => /^\w+\/src\//.test(source.path) && !isTest(source))
      // Excludes the UI kit, which has no domain words and whose samples are arbitrary.
      .filter(({ path }) => !path.startsWith("web/src/ui/"));

    expect(readRuledOut(glossary)).not.toBeEmpty();
    expect(findRuledOut(product, glossary), "rename it, or mend docs/glossary.md").toEqual([]);
  });

  // In the executable, all modules are in the folder of main.ts, so only from there a worker's
  // relative path is right in both.
  test("workers are started from files directly in server/src, by the name they have there", () => {
    const starts = serverSources.flatMap(({ path, text }) =>
      [...text.matchAll(/new URL\(\s*"(\.\/workers\/[^"]+)"/g)].map(([, url = ""]) => ({
        path,
        url,
      })),
    );
    const deep = serverSources
      .filter(
        ({ path, text }) => path.split("/").length > 3 && /new Worker\(|\.worker\.js"/.test(text),
      )
      .map(({ path }) => path);
    const workers = readSources("server/src/workers/*.worker.ts").map(({ path }) =>
      path.replace(/^server\/src\//, "./").replace(/\.ts$/, ".js"),
    );

    expect(deep).toEqual([]);
    expect([...new Set(starts.map(({ url }) => url))].toSorted(compareText)).toEqual(workers);
  });

  // All outgoing requests must pass the limits and the address policy of network/.
  test("only network/ makes connections, and nobody calls fetch", () => {
    const connects =
      /\bBun\.connect\b|[^.\w]fetch\(|import \{[^}]*\bconnect\b[^}]*\} from "node:(net|tls)"/;
    const connecting = serverSources
      .filter(({ text }) => connects.test(text))
      .map(({ path }) => path);

    expect(connecting).toEqual([
      "server/src/network/connection.ts",
      "server/src/network/tunnel.ts",
    ]);
  });

  // The files directly in server/src compose the layers; the code of a layer has a folder.
  test("server/src holds at most eight files", () => {
    const files = readdirSync(import.meta.dir, { withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );

    expect(files.length).toBeLessThanOrEqual(8);
  });

  // Files are hard to find among many: a large folder gets subfolders, a large feature is divided.
  test("no folder holds over 25 product files, and no feature of the console over 30", () => {
    const files = readProductPaths();
    const folders = countBy(files.map((path) => path.slice(0, path.lastIndexOf("/"))));
    const counted = [...folders].filter(([folder]) => !listsOfEntries.includes(folder));
    const crowded = counted.filter(([, count]) => count > 25).map(([folder]) => folder);
    expect(crowded).toEqual([]);
    // A warning in time: the next files of these folders belong into rooms of their own.
    const filling = counted.filter(([, count]) => count >= 20).toSorted(([, a], [, b]) => b - a);
    const named = filling.map(([folder, count]) => `${folder} (${count})`).join(", ");
    if (filling.length > 0) console.warn(`Folders with 20 files or more, of 25: ${named}`);

    const features = files.flatMap((path) => /^web\/src\/features\/[^/]+/.exec(path) ?? []);
    expect(features).not.toBeEmpty();
    expect([...countBy(features)].filter(([, count]) => count > 30)).toEqual([]);
  });

  // A folder of one file hides it and says nothing that its name does not.
  test("no folder holds one file alone but those listed", () => {
    const files = readProductPaths().filter((path) => /^[\w-]+\/src\/|^(bench|e2e)\//.test(path));
    const folders = countBy(files.map((path) => path.slice(0, path.lastIndexOf("/"))));
    const alone = [...folders.keys()].filter(
      (folder) =>
        folders.get(folder) === 1 &&
        !entryFolder.test(folder) &&
        ![...folders.keys()].some((other) => other.startsWith(`${folder}/`)),
    );

    expect(alone.toSorted(compareText)).toEqual([...foldersOfOne]);
  });

  test("the server's dependencies are few, and each is listed with its reason", () => {
    const listed = readFileSync(join(top, "docs/dependencies.md"), "utf8");
    const { dependencies } = JSON.parse(readFileSync(join(top, "server/package.json"), "utf8"));
    const names = Object.keys(dependencies);

    expect(names.length).toBeLessThanOrEqual(22);
    expect(names.filter((name) => !listed.includes(`\`${name}\``))).toEqual([]);
  });

  // A skipped test proves nothing, and a test that is singled out silences the others.
  test("no test is skipped or singled out", () => {
    const silenced = readSources("{contract,demo,e2e,scripts,server,web}/**/*.{spec,test}.{ts,tsx}")
      .filter(({ text }) => /\b(describe|it|test)\.(only|skip|todo|if|skipIf|todoIf)\(/.test(text))
      .map(({ path }) => path);

    expect(silenced).toEqual([]);
  });

  test("NOTICE names the source of every recording", () => {
    const notice = readFileSync(join(top, "NOTICE"), "utf8");
    const recordings = [...new Bun.Glob("{server,e2e}/**/fixtures/**/*.json").scanSync(top)]
      .filter((path) => !path.includes("node_modules/") && !path.endsWith("/index.json"))
      .map((path) => ({ path, text: readFileSync(join(top, path), "utf8") }));
    const unnamed = recordings.filter(({ text }) => {
      const { source, provenance, captured } = JSON.parse(text);
      const origin: unknown = source?.repo ?? provenance ?? captured;
      return typeof origin !== "string" || (source?.repo !== undefined && !notice.includes(origin));
    });

    expect(recordings).not.toBeEmpty();
    expect(unnamed.map(({ path }) => path)).toEqual([]);
  });
});

/** Lists the tables that a file's SQL statements change. */
function tablesWritten(text: string): string[] {
  const builder = /\b(?:insertInto|updateTable|deleteFrom|replaceInto|mergeInto)\(\s*"(\w+)"/g;
  const written =
    /\b(?:insert into|update|delete from) "?(\w+)"?\s+(?:set|where|select|values|\()/g;
  return [builder, written].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(([, table = ""]) => table),
  );
}

/**
 * Returns the endpoints for which a module has handlers. The handlers are not called, so a proxy
 * stands in for what they depend on.
 */
function endpointsOf(module: object): unknown[] {
  const anything: unknown = new Proxy(() => anything, { get: () => anything });
  return Object.entries(module)
    .filter(([name, make]) => name.endsWith("Handlers") && typeof make === "function")
    .flatMap(([, make]) => make(anything))
    .map((handler) => handler.endpoint);
}

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === "object" && value !== null && "method" in value && "path" in value;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
