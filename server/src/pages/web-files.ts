/**
 * The files of the built console, read into memory once: a few megabytes that every visitor
 * requests.
 */

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { Encoding } from "#http/encoding.ts";

export type WebFile = {
  /**
   * Returns the uncompressed contents, for the few clients that accept no compression. They are
   * unpacked for each request, on another thread.
   */
  readonly plain: () => Promise<Uint8Array<ArrayBuffer>>;
  /** Copies compressed by the build; absent where compression does not help. */
  readonly encoded: { readonly [Name in Encoding]?: Uint8Array<ArrayBuffer> };
  readonly mediaType: string;
  /** Hash of the contents. */
  readonly hash: string;
  /**
   * Whether the file name changes with the contents, so that browsers may cache the file for ever.
   */
  readonly hashed: boolean;
  /** Hashes of the scripts that stand in the page itself, as a content security policy names them. */
  readonly inlineScripts: readonly string[];
};

/** The files, keyed by path, e.g. `/assets/index-8i6bizSs.css`. */
export type WebFiles = ReadonlyMap<string, WebFile>;

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** File name suffixes of compressed copies. */
const endings: Readonly<Record<Encoding, string>> = { br: ".br", gzip: ".gz" };

/** Returns the files of the first folder that contains a built console; empty if none does. */
export function findWebFiles(folders: readonly URL[]): WebFiles {
  const folder = folders
    .map((url) => fileURLToPath(url))
    .find((path) => existsSync(join(path, "index.html")));
  return folder === undefined ? new Map() : readWebFiles(folder);
}

export function readWebFiles(folder: string): WebFiles {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
    name.replaceAll("\\", "/"),
  );
  const files = new Map<string, WebFile>();
  for (const name of names) {
    const mediaType = mediaTypes[extname(name)];
    // Skips folders, compressed copies and the notes of the build, whose names begin with a dot.
    if (mediaType === undefined || /(^|\/)\./.test(name)) continue;
    const bytes = new Uint8Array(readFileSync(join(folder, name)));
    const encoded = readEncoded(folder, name, names);
    files.set(`/${name}`, {
      plain: encoded.gzip === undefined ? async () => bytes : unpacked(encoded.gzip),
      encoded,
      mediaType,
      hash: createHash("sha256").update(bytes).digest("base64url").slice(0, 16),
      hashed: name.startsWith("assets/"),
      inlineScripts: mediaType.startsWith("text/html") ? hashInlineScripts(bytes) : [],
    });
  }
  return files;
}

/** A script of a page that has its text in the page. */
const inlineScript = /<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs;

function hashInlineScripts(page: Uint8Array): string[] {
  return [...new TextDecoder().decode(page).matchAll(inlineScript)].map(
    ([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`,
  );
}

const unpack = promisify(gunzip);

/**
 * Keeps only the compressed copy in memory. The uncompressed one would take three megabytes more,
 * which the garbage collector treats as ten.
 */
function unpacked(packed: Uint8Array<ArrayBuffer>): WebFile["plain"] {
  return async () => new Uint8Array(await unpack(packed));
}

function readEncoded(folder: string, name: string, names: readonly string[]): WebFile["encoded"] {
  const read = (encoding: Encoding) => {
    const copy = name + endings[encoding];
    return names.includes(copy) ? new Uint8Array(readFileSync(join(folder, copy))) : undefined;
  };
  const br = read("br");
  const gzip = read("gzip");
  return { ...(br === undefined ? {} : { br }), ...(gzip === undefined ? {} : { gzip }) };
}
