/** What is neither the relay nor the console API: health, metrics, and files for browsers. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openIpMatcher, parseIpRange } from "#base/ip-ranges.ts";
import type { CallMeta } from "#http/listen.ts";
import { commonHeaders, pageHeaders } from "#http/security-headers.ts";

export type PagesDeps = {
  /** Takes traffic: neither draining nor without a store. */
  readonly ready: () => boolean;
  readonly metrics: () => Promise<string>;
  /** Besides loopback. */
  readonly metricsCidrs: readonly string[];
  readonly secure: boolean;
  /** Where clients find the API, as far as the process knows. */
  readonly origin: () => string;
};

export type Pages = (request: Request, meta: CallMeta, path: string) => Promise<Response>;

const mediaTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".svg": "image/svg+xml",
};

export function openPages(deps: PagesDeps): Pages {
  const files = readFiles();
  const mayWatch = openIpMatcher(
    ["127.0.0.0/8", "::1/128", ...deps.metricsCidrs].flatMap((text) => {
      const range = parseIpRange(text);
      return range === undefined ? [] : [range];
    }),
  );
  const plain = { ...commonHeaders(deps.secure), "cache-control": "no-store" };
  return async (request, meta, path) => {
    if (request.method !== "GET" && request.method !== "HEAD") return notFound(plain);
    switch (path) {
      case "/healthz":
        return new Response("ok\n", { headers: plain });
      case "/readyz":
        return deps.ready()
          ? new Response("ok\n", { headers: plain })
          : new Response("not ready\n", { status: 503, headers: plain });
      case "/metrics":
        if (!mayWatch(meta.clientIp)) return notFound(plain);
        return new Response(await deps.metrics(), {
          headers: { ...plain, "content-type": "text/plain; version=0.0.4; charset=utf-8" },
        });
      default:
        return answerFile(deps, files, path) ?? notFound(plain);
    }
  };
}

function notFound(headers: Record<string, string>): Response {
  return new Response("not found\n", { status: 404, headers });
}

/** Everything else is the page a person lands on, whose links lead on. */
function answerFile(
  deps: PagesDeps,
  files: ReadonlyMap<string, string>,
  path: string,
): Response | undefined {
  const isPage = extname(path) === "";
  const text = files.get(isPage ? "/start.html" : path);
  if (text === undefined) return undefined;
  const type = mediaTypes[isPage ? ".html" : extname(path)] ?? "application/octet-stream";
  return new Response(isPage ? text.replaceAll("{{origin}}", deps.origin()) : text, {
    headers: { ...pageHeaders(deps.secure), "content-type": type },
  });
}

/** In the bundle and the executable they lie beside it, in the sources in `web/public/`. */
function readFiles(): ReadonlyMap<string, string> {
  const beside = fileURLToPath(new URL("./web/", import.meta.url));
  const folder = existsSync(beside)
    ? beside
    : fileURLToPath(new URL("../../web/public/", import.meta.url));
  return new Map(
    readdirSync(folder).map((name) => [`/${name}`, readFileSync(join(folder, name), "utf8")]),
  );
}
