/**
 * Answers all requests that are neither relay nor console API: health, metrics, files for browsers.
 */

import { extname } from "node:path";
import { openIpMatcher, parseIpRange } from "#base/ip-ranges.ts";
import { acceptedEncodings } from "#http/encoding.ts";
import type { CallMeta } from "#http/client-request.ts";
import { isForwarded, seenBy } from "#http/proxies.ts";
import { hashText } from "#base/secrets.ts";
import {
  commonHeaders,
  frameHeaders,
  type PageSources,
  pageHeaders,
} from "#http/security-headers.ts";
import type { WebFile, WebFiles } from "./web-files.ts";

type PagesDeps = {
  /** Whether the process accepts traffic: it is not draining, and the database accepts writes. */
  readonly ready: () => boolean;
  readonly metrics: () => Promise<string>;
  /**
   * Addresses that may read the metrics, besides loopback. A request that was passed on by a proxy
   * counts as one from elsewhere, even if the proxy is on this machine.
   */
  readonly metricsCidrs: readonly string[];
  /** Returns the foreign origins that the console's page may load from, by the present options. */
  readonly sources: () => PageSources;
  /** Whether root wrote a home page, which the console shows in place of its own. */
  readonly hasOwnHome: () => boolean;
  readonly files: WebFiles;
};

export type Pages = (request: Request, meta: CallMeta, path: string) => Promise<Response>;

/** The screen of what links show to whoever has them. */
const sharedPath = "/shared";
/** Keeps a page out of what search engines find. */
const unlisted = { "x-robots-tag": "noindex, nofollow, noarchive" };

/** How long files with a hash in their names may be cached: a year, in seconds. */
const hashedSeconds = 31_536_000;

const unbuilt =
  "The console is not built. `npm start` builds it; `npm run dev` serves it from its sources.\n";

export function openPages(deps: PagesDeps): Pages {
  const isListed = matcherOf(deps.metricsCidrs);
  const isLoopback = matcherOf(["127.0.0.0/8", "::1/128"]);
  const mayWatch = (address: string, headers: Headers): boolean =>
    isListed(address) || (isLoopback(address) && !isForwarded(headers));
  return async (request, meta, path) => {
    const { secure, basePath } = seenBy(request);
    const plain = { ...commonHeaders(secure), "cache-control": "no-store" };
    if (request.method !== "GET" && request.method !== "HEAD") {
      return noPage(request.method, path, plain);
    }
    switch (path) {
      case "/healthz":
        return new Response("ok\n", { headers: plain });
      case "/readyz":
        return deps.ready()
          ? new Response("ok\n", { headers: plain })
          : new Response("not ready\n", { status: 503, headers: plain });
      case "/metrics":
        if (!mayWatch(meta.clientIp, request.headers)) return notFound(plain);
        return new Response(await deps.metrics(), {
          headers: { ...plain, "content-type": "text/plain; version=0.0.4; charset=utf-8" },
        });
      default: {
        // Paths of the console's screens have no file extension: all of them get the same page,
        // whose router chooses the screen.
        const isScreen = extname(path) === "";
        if (isScreen && path !== "/" && wantsJson(request.headers)) {
          return noPage(request.method, path, plain);
        }
        const name = isScreen ? "/index.html" : path;
        const found = deps.files.get(name);
        const isMarked = path === "/" && found !== undefined && deps.hasOwnHome();
        const marked = isMarked ? markOwnHome(found) : found;
        const isBelow = basePath !== "" && marked !== undefined && isPage(marked);
        const file = isBelow ? moveBelow(marked, basePath) : marked;
        if (file !== undefined) {
          const guards = guardsOf(name, file, secure, deps.sources);
          return await answerFile(
            file,
            request,
            path === sharedPath ? { ...guards, ...unlisted } : guards,
          );
        }
        return isScreen ? new Response(unbuilt, { status: 404, headers: plain }) : notFound(plain);
      }
    }
  };
}

function matcherOf(ranges: readonly string[]): (address: string) => boolean {
  return openIpMatcher(
    ranges.flatMap((text) => {
      const range = parseIpRange(text);
      return range === undefined ? [] : [range];
    }),
  );
}

function notFound(headers: Record<string, string>): Response {
  return new Response("not found\n", { status: 404, headers });
}

/** Whether a program asks, which takes no page: browsers name HTML, others say that all is good. */
function wantsJson(headers: Headers): boolean {
  const accept = headers.get("accept") ?? "";
  return /\bjson\b/.test(accept) && !/text\/html|\*\/\*/.test(accept);
}

/** The longest path that is quoted in an answer, in characters. */
const shownPathMax = 200;

/** Tells a program that has left out the beginning of its path, such as `/v1`, in words it reads. */
function noPage(method: string, path: string, headers: Record<string, string>): Response {
  const message = `Invalid URL (${method} ${path.slice(0, shownPathMax)})`;
  const error = { message, type: "invalid_request_error", param: "", code: "" };
  return Response.json({ error }, { status: 404, headers });
}

/** The page inside the frame for foreign HTML; the console's `ForeignFrame.tsx` fills it. */
const framePath = "/frame.html";

/**
 * Marks the page for `before-paint.js`: root wrote the home page, so the default one's claim must
 * not appear while the console is loaded. The marked page has no compressed copies.
 */
function markOwnHome(page: WebFile): WebFile {
  return rewrite(page, "own", (text) => text.replace("<html ", '<html data-home="own" '));
}

/** An address of this host in an attribute, or in a list of addresses there. */
const ownAddress = /(?<=[" ])\/(?!\/)/g;

/** The attributes that hold addresses, with their values. */
const addressAttribute = /\s(?:href|src|data-(?:chinese|console|english|messages))="[^"]*"/g;

/**
 * Moves the addresses of a page below the path at which the browser sees the gateway, and tells its
 * scripts the path. A `<base>` would not do: the page's policy forbids it.
 */
function moveBelow(page: WebFile, basePath: string): WebFile {
  const moved = `${basePath}/`;
  return rewrite(page, hashText(basePath).slice(0, headersHashLength), (text) =>
    text
      .replaceAll(addressAttribute, (attribute) => attribute.replaceAll(ownAddress, moved))
      .replace("<html ", `<html data-base="${basePath}" `),
  );
}

/** Returns a page with another text, which has no compressed copies. */
function rewrite(page: WebFile, mark: string, change: (text: string) => string): WebFile {
  return {
    ...page,
    hash: `${page.hash}-${mark}`,
    encoded: {},
    async plain() {
      return new TextEncoder().encode(change(new TextDecoder().decode(await page.plain())));
    },
  };
}

function isPage(file: WebFile): boolean {
  return file.mediaType.startsWith("text/html");
}

function guardsOf(
  name: string,
  file: WebFile,
  secure: boolean,
  sources: PagesDeps["sources"],
): Record<string, string> {
  if (!isPage(file)) return commonHeaders(secure);
  return name === framePath
    ? frameHeaders(secure)
    : pageHeaders(secure, sources(), file.inlineScripts);
}

async function answerFile(
  file: WebFile,
  request: Request,
  guards: Readonly<Record<string, string>>,
): Promise<Response> {
  const encoding = acceptedEncodings(request.headers.get("accept-encoding")).find(
    (name) => file.encoded[name] !== undefined,
  );
  // After a 304 a browser reuses the headers of its cached copy, so changed headers need a new
  // ETag.
  const parts = [
    file.hash,
    ...(isPage(file) ? [hashOfHeaders(guards)] : []),
    ...(encoding === undefined ? [] : [encoding]),
  ];
  const etag = `"${parts.join("-")}"`;
  const headers = {
    ...guards,
    "cache-control": file.hashed ? `public, max-age=${hashedSeconds}, immutable` : "no-cache",
    vary: "accept-encoding",
    etag,
  };
  if (isKnown(request.headers.get("if-none-match"), etag)) {
    return new Response(null, { status: 304, headers });
  }
  const described = {
    ...headers,
    "content-type": file.mediaType,
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
  };
  const packed = encoding === undefined ? undefined : file.encoded[encoding];
  return new Response(packed ?? (await file.plain()), { headers: described });
}

/** How many characters of the ETag identify the headers. */
const headersHashLength = 12;

function hashOfHeaders(headers: Readonly<Record<string, string>>): string {
  return hashText(JSON.stringify(headers)).slice(0, headersHashLength);
}

/**
 * Whether `If-None-Match` contains the ETag, strong or weak: proxies that compress responses make
 * ETags weak.
 */
function isKnown(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").some((tag) => [etag, "*"].includes(tag.trim().replace(/^W\//, "")));
}
