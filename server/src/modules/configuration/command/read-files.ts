/** Reads the files of a document: YAML or JSON, with references in place of secrets. */

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { ConfigurationDocument } from "@tollgate/contract/endpoints/configuration.ts";
import { secretOptions } from "@tollgate/contract/options/options.ts";
import { indexLines, type LineIndex } from "./line-index.ts";

/** A sentence about a place in a file. */
export type FileFault = {
  readonly file: string;
  /** From 1 on; null: about the whole file. */
  readonly line: number | null;
  readonly message: string;
};

export type ReadFiles = {
  readonly document: ConfigurationDocument;
  readonly faults: readonly FileFault[];
  /** Says where a path of the document stands. */
  readonly placeOf: (path: readonly string[]) => { readonly file: string; readonly line: number };
};

type Environment = Readonly<Record<string, string | undefined>>;

type Source = {
  readonly file: string;
  readonly lines: LineIndex;
  readonly content: Readonly<Record<string, unknown>>;
};

/** The longest file that is read, in characters. */
const fileMax = 4_000_000;

const endings = /\.(?:json|ya?ml)$/i;

/** Reads a file, or all of a folder by their names. */
export function readFiles(path: string, env: Environment): ReadFiles {
  const faults: FileFault[] = [];
  const sources: Source[] = [];
  for (const file of filesAt(path, faults)) {
    const source = readSource(file, faults);
    if (source !== null) sources.push(source);
  }
  const document: Record<string, unknown> = {};
  const owners = new Map<string, Source>();
  const join = (source: Source): void => {
    for (const [section, of] of Object.entries(source.content)) {
      if (!isMap(of) || !isMap(document[section] ?? {})) {
        document[section] ??= of;
        continue;
      }
      const merged: Record<string, unknown> = { ...Object(document[section] ?? {}) };
      for (const [name, entry] of Object.entries(of)) {
        const key = JSON.stringify([section, name]);
        const other = owners.get(key);
        const isShared = isMap(entry) && isMap(merged[name]) && kindSections.includes(section);
        if (other !== undefined && other !== source && !isShared) {
          const line = source.lines.lineOf([section, name]);
          const message = `${name} is also in ${other.file}, line ${other.lines.lineOf([section, name])}.`;
          faults.push({ file: source.file, line, message });
          continue;
        }
        merged[name] = isShared ? { ...Object(merged[name]), ...entry } : entry;
        owners.set(key, source);
      }
      document[section] = merged;
    }
  };
  for (const source of sources) join({ ...source, content: withSecrets(source, env, faults) });
  const placeOf: ReadFiles["placeOf"] = (path) => {
    const deepest = Math.max(0, ...sources.map(({ lines }) => lines.depthOf(path)));
    const source = sources.find(({ lines }) => lines.depthOf(path) === deepest);
    return { file: source?.file ?? "", line: source?.lines.lineOf(path) ?? 1 };
  };
  // Safe cast: what YAML and JSON give is JSON.
  return { document: document as ConfigurationDocument, faults, placeOf };
}

/** Sections with options by kind, which several files may fill. */
const kindSections = ["payments", "sign_in"];

function filesAt(path: string, faults: FileFault[]): string[] {
  if (!existsSync(path)) {
    faults.push({ file: path, line: null, message: "There is no such file or folder." });
    return [];
  }
  if (!statSync(path).isDirectory()) return [path];
  const files = readdirSync(path)
    .filter((name) => endings.test(name) && !name.startsWith("."))
    .toSorted()
    .map((name) => join(path, name));
  if (files.length === 0) {
    const message = "There is no .yaml, .yml or .json file in this folder.";
    faults.push({ file: path, line: null, message });
  }
  return files;
}

function readSource(file: string, faults: FileFault[]): Source | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8").replace(/^\u{FEFF}/u, "");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    faults.push({ file, line: null, message: `It cannot be read: ${reason}.` });
    return null;
  }
  if (text.length > fileMax) {
    faults.push({ file, line: null, message: `It is longer than ${fileMax} characters.` });
    return null;
  }
  const content = parse(file, text, faults);
  if (content === undefined) return null;
  const lines = indexLines(text);
  for (const { key, line } of lines.repeated) {
    faults.push({ file, line, message: `${key} stands here a second time.` });
  }
  if (content === null) return { file, lines, content: {} };
  if (isMap(content)) return { file, lines, content };
  const message = "A document is a map of sections: options, channels and so on.";
  faults.push({ file, line: 1, message });
  return null;
}

/** @returns undefined: it cannot be parsed, which was noted. */
function parse(file: string, text: string, faults: FileFault[]): unknown {
  const isJson = /\.json$/i.test(file);
  try {
    return isJson ? JSON.parse(text) : Bun.YAML.parse(text);
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).trim();
    const line = isJson ? null : faultyLine(text);
    faults.push({ file, line, message: reason.endsWith(".") ? reason : `${reason}.` });
    return undefined;
  }
}

/** Returns the line behind the longest beginning of a text that is YAML. */
function faultyLine(text: string): number {
  const lines = text.split("\n");
  let [good, bad] = [0, lines.length];
  // What is open at a line makes its beginning no YAML, so the last good line is looked for from the
  // end; halving first keeps that short for long files.
  while (bad - good > linesTried) {
    const middle = Math.ceil((good + bad) / 2);
    if (isYaml(lines.slice(0, middle))) good = middle;
    else bad = middle;
  }
  for (let count = bad - 1; count > good; count -= 1) {
    if (isYaml(lines.slice(0, count))) return count + 1;
  }
  return good + 1;
}

const linesTried = 64;

function isYaml(lines: readonly string[]): boolean {
  try {
    Bun.YAML.parse(lines.join("\n"));
    return true;
  } catch {
    return false;
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Puts the secrets in the place of their references, and refuses secrets that are written out. */
function withSecrets(
  { file, lines, content }: Source,
  env: Environment,
  faults: FileFault[],
): Readonly<Record<string, unknown>> {
  const refuse = (path: readonly string[], message: string): undefined => {
    faults.push({ file, line: lines.lineOf(path), message });
    return undefined;
  };
  const walk = (value: unknown, path: readonly string[]): unknown => {
    if (isReference(value)) return readReference(value, path);
    if (isSecretPlace(path) && typeof value === "string" && value !== "") {
      const name = path.at(-1) ?? "";
      const message = `${name} is a secret. Write { env: NAME } or { file: path } instead of it.`;
      return refuse(path, message);
    }
    if (Array.isArray(value)) return value.map((one, at) => walk(one, [...path, String(at)]));
    if (!isMap(value)) return value;
    const entries = Object.entries(value).map(([key, of]) => [key, walk(of, [...path, key])]);
    return Object.fromEntries(entries);
  };
  const readReference = (reference: Reference, path: readonly string[]): string | undefined => {
    if (reference.env !== undefined) {
      const value = env[reference.env];
      if (value !== undefined && value !== "") return value;
      return refuse(path, `The environment variable ${reference.env} is not set.`);
    }
    const found = resolve(dirname(file), reference.file ?? "");
    try {
      const text = readFileSync(found, "utf8").trim();
      if (text !== "") return text;
      return refuse(path, `${found} is empty.`);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return refuse(path, `${found} cannot be read: ${reason}.`);
    }
  };
  const walked = walk(content, []);
  return isMap(walked) ? walked : {};
}

type Reference = { readonly env?: string; readonly file?: string };

function isReference(value: unknown): value is Reference {
  if (!isMap(value)) return false;
  const [[name, of] = ["", null], ...others] = Object.entries(value);
  return others.length === 0 && (name === "env" || name === "file") && typeof of === "string";
}

/** Whether a value at this place of a document is a secret. */
function isSecretPlace(path: readonly string[]): boolean {
  const [section, , field, key, last] = path;
  const name = path.at(-1) ?? "";
  if (section === "channels") return field === "key" || field === "keys";
  if (section === "users") {
    if (field === "password") return true;
    return field === "api_keys" && key !== undefined && last === "key";
  }
  return secretOptions.some((secret) => secret === name);
}
