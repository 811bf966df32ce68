/**
 * Checks the documents against the tree, as far as a machine can. A failure names the line to
 * change.
 */

import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { readMap } from "./map.mjs";

const top = join(import.meta.dir, "..");

const read = (path: string): string => readFileSync(join(top, path), "utf8");

function list(pattern: string): string[] {
  return [...new Bun.Glob(pattern).scanSync({ cwd: top, dot: true })].filter(
    (path) => !/(^|\/)(node_modules|dist|data|fixtures|\.git)\//.test(path),
  );
}

const documents = [...list("*.md"), ...list("docs/**/*.md")].toSorted();

/** Paths of all files, and of all folders with a slash at the end. */
const tree = new Set(
  list("**/*").flatMap((path) => {
    const parts = path.split("/");
    return [path, ...parts.slice(1).map((_, depth) => `${parts.slice(0, depth + 1).join("/")}/`)];
  }),
);

/** Returns the text of a document without its blocks of code, whose brackets are no links. */
function proseOf(path: string): string {
  return read(path).replace(/^```.*?^```/gms, "");
}

/** Returns the anchor of a heading in its address, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

/** Says which link is broken; null: the link is valid. */
function brokenLink(from: string, link: string): string | null {
  const [path = "", anchor = ""] = link.split("#");
  const target = path === "" ? from : normalize(join(dirname(from), path));
  if (!existsSync(join(top, target))) return `${from}: ${link}`;
  if (anchor === "" || !target.endsWith(".md")) return null;
  const headings = [...proseOf(target).matchAll(/^#+ (.+)$/gm)].map(([, text]) => text ?? "");
  return headings.some((heading) => anchorOf(heading) === anchor) ? null : `${from}: ${link}`;
}

/** Returns the names of files and folders that a document puts in backticks. */
function pathsIn(document: string): string[] {
  return [...proseOf(document).matchAll(/`([\w./-]+)`/g)]
    .map(([, text]) => text ?? "")
    .filter((text) => /^\w[\w.-]*(\/[\w.-]+)*(\/|\.(css|json|mjs|ts|tsx))$/.test(text));
}

/** Whether a path exists. Documents name it from the top folder, or by its last parts. */
function isThere(path: string): boolean {
  if (existsSync(join(top, path))) return true;
  for (const each of tree) if (each.endsWith(`/${path}`)) return true;
  return false;
}

describe("the documents", () => {
  test("links lead somewhere", () => {
    const broken = documents.flatMap((path) =>
      [...proseOf(path).matchAll(/\]\((?!https?:|mailto:)([^)\s]+)\)/g)].map(([, link]) =>
        brokenLink(path, link ?? ""),
      ),
    );

    expect(broken.length).toBeGreaterThan(20);
    expect(broken.filter((link) => link !== null)).toEqual([]);
  });

  test.each([
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    "docs/endings.md",
    "docs/where.md",
    "docs/operate/settings.md",
  ])("%s names only what is there", (document) => {
    // Paths that a clone lacks, because the program creates them.
    const made = new Set(["dist/", "dist/release/", "dist/web/", "data/", "price-catalogue.json"]);
    const named = pathsIn(document).filter((path) => !made.has(path));

    expect([...new Set(named.filter((path) => !isThere(path)))]).toEqual([]);
  });

  // What a newcomer reads to the end. What grows with the tree stands elsewhere: `npm run map`,
  // docs/where.md, docs/dependencies.md, docs/endings.md, docs/operate/settings.md.
  test("ARCHITECTURE.md and README are short", () => {
    const map = read("ARCHITECTURE.md");
    const bytes = (text: string) => Buffer.byteLength(text);
    const part = (from: string, to: string) => map.slice(map.indexOf(from), map.indexOf(to));

    expect(bytes(map)).toBeLessThanOrEqual(16_000);
    expect(bytes(part("## One call", "### How else"))).toBeWithin(3_000, 6_001);
    expect(bytes(part("### How else", "## Invariants"))).toBeWithin(1_000, 2_001);
    expect(read("README.md").trimEnd().split("\n").length).toBeLessThanOrEqual(120);
  });

  // A call that wanders is one that nobody can follow.
  test("the walk of a call passes at most 45 files, and enters at most 12 of them again", () => {
    const [, walk = ""] =
      /^## The files of a call.*?^(`http.*?)$/ms.exec(read("ARCHITECTURE.md")) ?? [];
    const stations = [...walk.matchAll(/`([\w-]+)\/`: ([\w, -]+)\./g)].flatMap(
      ([, folder = "", names = ""]) => names.split(", ").map((name) => `${folder}/${name}.ts`),
    );
    const missing = stations.filter(
      (station) =>
        ![...tree].some((path) => path.startsWith("server/src/") && path.endsWith(`/${station}`)),
    );

    expect(stations.length).toBeWithin(30, 46);
    expect(stations.length - new Set(stations).size).toBeLessThanOrEqual(12);
    expect(missing).toEqual([]);
  });

  test("every room of the wings is named in ARCHITECTURE.md", () => {
    const map = read("ARCHITECTURE.md");
    const rooms = [...tree].filter((path) =>
      /^(bench|contract|demo|docs|e2e|scripts|server|web)\/$|^(server|web)\/src\/[^/]+\/$/.test(
        path,
      ),
    );

    expect(rooms.length).toBeGreaterThan(25);
    expect(rooms.filter((path) => !map.includes(`${path.split("/").at(-2)}/`))).toEqual([]);
  });

  test("docs/where.md answers ten changes with files that have the name", () => {
    const [, section = ""] = /^## Ten changes$(.*?)^## /ms.exec(read("docs/where.md")) ?? [];
    const answers = [...section.matchAll(/^- \*\*(.+?)\*\*.*$/gm)].map(([line, change = ""]) => ({
      change,
      places: [...line.matchAll(/`([\w./-]+)` \(`(\w+)`\)/g)].map(([, path = "", name = ""]) => ({
        path,
        name,
      })),
    }));
    const lost = answers.flatMap(({ change, places }) =>
      places
        .filter(({ path, name }) => {
          if (!existsSync(join(top, path))) return true;
          return !new RegExp(`\\b${name}\\b`).test(read(path));
        })
        .map(({ path, name }) => `${change}: ${path} ${name}`),
    );

    expect(answers.map(({ change }) => change)).toEqual([
      "Provider",
      "Option",
      "Notice",
      "Processor",
      "Platform",
      "Screen",
      "Log column",
      "Token field",
      "Wire format",
      "Retry rule",
    ]);
    expect(answers.filter(({ places }) => places.length === 0)).toEqual([]);
    expect(lost).toEqual([]);
  });

  // `npm run map` prints it: the way from a folder to the file that one looks for.
  test("every product file says what it is for", () => {
    const map = readMap();

    expect(map.length).toBeGreaterThan(1000);
    expect(
      map.filter(({ head }) => head === "").map(({ path }) => path),
      "begin the file with a comment of one sentence",
    ).toEqual([]);
  });

  test("the README in Chinese names every guide that the English one names", () => {
    const guidesIn = (path: string) =>
      [...new Set(read(path).match(/docs\/operate\/[\w.-]+/g))]
        .map((guide) => guide.replace(".zh-CN", ""))
        .toSorted();
    expect(guidesIn("README.md").length).toBeGreaterThan(5);
    expect(guidesIn("README.zh-CN.md")).toEqual(guidesIn("README.md"));
  });

  // `--version`, the start and the status tell a number, which a reader looks up here.
  test("what a guide says to press in the console has the words that the console shows", () => {
    const elsewhere = /^(Dashboards|Developers|Security) →/;
    const wordsOf = (language: "en" | "zh") =>
      new Set(
        list(`web/src/i18n/${language}/*.json`).flatMap((path) =>
          // Safe cast: a catalogue is an object.
          Object.values(JSON.parse(read(path)) as Readonly<Record<string, unknown>>),
        ),
      );
    const words = { en: wordsOf("en"), zh: wordsOf("zh") };
    const unknown = documents.flatMap((path) =>
      [...proseOf(path).matchAll(/\*\*(.+?)\*\*/g)]
        .map(([, way]) => way ?? "")
        .filter((way) => way.includes(" → ") && !elsewhere.test(way))
        .flatMap((way) => way.split(" → "))
        .filter((word) => word !== "⋯" && !words[path.includes("zh-CN") ? "zh" : "en"].has(word))
        .map((word) => `${path}: ${word}`),
    );
    expect(unknown).toEqual([]);
  });

  test("the changelog begins with the version that the program says, and has each version once", () => {
    const versions = [...read("CHANGELOG.md").matchAll(/^## (\S+) - (.+)$/gm)];
    const numbers = versions.map(([, number]) => number);
    const sections = read("CHANGELOG.md").match(/^## /gm) ?? [];
    expect(versions.length).toBe(sections.length);
    expect(new Set(numbers).size).toBe(numbers.length);
    for (const workspace of ["contract", "demo", "server"]) {
      const { version } = JSON.parse(read(`${workspace}/package.json`));
      expect(numbers[0], workspace).toBe(version);
    }
    for (const [line, , when = ""] of versions.slice(1)) {
      expect(when, line).toMatch(/^\d{4}-\d\d-\d\d$/);
    }
  });

  test("the README in Chinese has the headings, the lists, the code and the links of the English one", () => {
    const outlineOf = (path: string) =>
      read(path)
        .split("\n")
        .flatMap((line) => /^(#+|- |\d\. |!|\|)/.exec(line)?.[1] ?? (line === "" ? [] : "text"));
    const codeIn = (path: string) => read(path).match(/^```[^]*?^```$/gm) ?? [];
    const linksIn = (path: string) =>
      [...read(path).matchAll(/\]\(([^)]+)\)/g)]
        .map(([, link = ""]) => link.replace("README.zh-CN.md", "README.md").replace(".zh-CN", ""))
        .toSorted();
    expect(codeIn("README.md").length).toBeGreaterThan(3);
    expect(outlineOf("README.zh-CN.md")).toEqual(outlineOf("README.md"));
    expect(codeIn("README.zh-CN.md")).toEqual(codeIn("README.md"));
    expect(linksIn("README.zh-CN.md")).toEqual(linksIn("README.md"));
  });

  test.each(["docs/operate/settings.md", "docs/operate/settings.zh-CN.md"])(
    "%s lists the settings that the program reads",
    (path) => {
      const name = /\b(DATABASE_URL|HOST|PORT|TOLLGATE_[A-Z_]+)\b/g;
      const [, schema = ""] = read("server/src/config.ts").split("const environment = ");
      const [shape = ""] = schema.split(/^\}\);$/m);
      const namesIn = (text: string) => [...new Set(text.match(name))].toSorted();
      const told = namesIn(
        [...read(path).matchAll(/^\| (.+?) \|/gm)].map(([, cell]) => cell).join(),
      );

      expect(told.length).toBeGreaterThan(5);
      expect(told).toEqual(namesIn(shape));
    },
  );

  test("the figures of the benchmark are followed by its findings, once", () => {
    const findings = read("bench/findings.md").trim();
    expect(read("docs/performance.md").split(findings)).toHaveLength(2);
    expect(read("docs/performance.md").split("**Small body.**")).toHaveLength(2);
  });
});
