/**
 * Checks the documents against the tree, as far as a machine can. A failure names the line to
 * change.
 */

import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";

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

  test.each(["ARCHITECTURE.md", "CONTRIBUTING.md"])("%s names only what is there", (document) => {
    // Paths that a clone lacks, because the program creates them.
    const made = new Set(["dist/", "dist/web/", "data/"]);
    const named = pathsIn(document).filter((path) => !made.has(path));

    expect(named.length).toBeGreaterThan(10);
    expect([...new Set(named.filter((path) => !isThere(path)))]).toEqual([]);
  });

  test("every file on the way of a call is named in ARCHITECTURE.md", () => {
    const map = read("ARCHITECTURE.md");
    const unnamed = list("server/src/{formats,http,network,relay}/**/*.ts")
      .filter((path) => !/\.test\.ts$|\/testing\//.test(path))
      .filter((path) => !map.includes(`${path.split("/").at(-1)}\``));

    expect(unnamed).toEqual([]);
  });

  test("every noun and every room of the console is named in ARCHITECTURE.md", () => {
    const map = read("ARCHITECTURE.md");
    const folders = [...tree].filter(
      (path) =>
        /^server\/src\/modules\/[^/]+\/$|^web\/src\/[^/]+\/([^/]+\/)?$/.test(path) &&
        !/\/(testing|en|zh)\/$/.test(path),
    );

    expect(folders.length).toBeGreaterThan(40);
    expect(folders.filter((path) => !map.includes(`${path.split("/").at(-2)}/`))).toEqual([]);
  });

  test("the README in Chinese names every guide that the English one names", () => {
    const guidesIn = (path: string) =>
      [...new Set(read(path).match(/docs\/operate\/[\w.-]+/g))].toSorted();
    expect(guidesIn("README.md").length).toBeGreaterThan(5);
    expect(guidesIn("README.zh-CN.md")).toEqual(guidesIn("README.md"));
  });

  test.each([
    ["README.md", "Settings"],
    ["README.zh-CN.md", "设置"],
  ])("%s lists the settings that the program reads", (path, heading) => {
    const name = /\b(DATABASE_URL|HOST|PORT|TOLLGATE_[A-Z_]+)\b/g;
    const [, table = ""] = read(path).split(new RegExp(`^## ${heading}$`, "m"));
    const [settings = ""] = table.split(/^## /m);
    const [, schema = ""] = read("server/src/config.ts").split("const environment = ");
    const [shape = ""] = schema.split(/^\}\);$/m);
    const namesIn = (text: string) => [...new Set(text.match(name))].toSorted();
    const told = namesIn([...settings.matchAll(/^\| (.+?) \|/gm)].map(([, cell]) => cell).join());

    expect(told.length).toBeGreaterThan(5);
    expect(told).toEqual(namesIn(shape));
  });

  test("the README counts the kinds of provider", () => {
    const [, entries = ""] = read("server/src/providers/registry.ts").split("providers = {");
    const count = entries.slice(0, entries.indexOf("}")).match(/,$/gm)?.length ?? 0;

    expect(count).toBeGreaterThan(20);
    expect(read("README.md")).toContain(`${count} kinds of provider`);
  });
});
