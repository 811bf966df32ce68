/**
 * Cookies that hold an id: the session's, the one that identifies a browser before sign-in, and the
 * marks of a device whose users have signed in before.
 */

import { type Seen, seenBy } from "./proxies.ts";

/**
 * Reads and writes one cookie. The values of `Set-Cookie` are for plain HTTP and a whole host;
 * `cookieFor` turns them into those for the browser at hand.
 */
type IdCookie = {
  /**
   * Returns the id in a request's cookie. Undefined: the request has no such cookie, or more than
   * one, which only an attacker sends.
   */
  read(request: Request): string | undefined;
  /** Returns the value of `Set-Cookie` that stores `id` for this many milliseconds. */
  keep(id: string, lastsMs: number): string;
  /** The value of `Set-Cookie` that deletes the cookie. */
  readonly forget: string;
};

/**
 * Name prefix by which browsers reject a cookie that was set by another host or over plain HTTP.
 * They take it for the path `/` alone.
 */
const hostPrefix = "__Host-";

/** Name prefix by which browsers reject a cookie that was set over plain HTTP. */
const securePrefix = "__Secure-";

const wholeHost = "Path=/";

/** The longest cookie header that is read, in characters. */
const headerLengthMax = 16_384;

export const sessionCookie = openCookie("sid");

/** Identifies a browser while it signs in at an OAuth provider; it grants nothing. */
export const browserCookie = openCookie("bid");

/** Shows which users have signed in with this device; it grants no access. */
export const deviceCookie = openCookie("dev");

/** Turns a value of `Set-Cookie` into the one for a browser that sees the gateway like this. */
export function cookieFor(setCookie: string, seen: Seen): string {
  const equals = setCookie.indexOf("=");
  const named = nameOf(setCookie.slice(0, equals), seen) + setCookie.slice(equals);
  const placed =
    seen.basePath === "" ? named : named.replace(`; ${wholeHost};`, `; Path=${seen.basePath};`);
  return seen.secure ? `${placed}; Secure` : placed;
}

/**
 * Below a path, the name ends with it: another program of the host may have a cookie of the same
 * word, which browsers would send too.
 */
function nameOf(word: string, { secure, basePath }: Seen): string {
  if (basePath === "") return secure ? hostPrefix + word : word;
  return `${secure ? securePrefix : ""}${word}${basePath.replaceAll("/", "-")}`;
}

function openCookie(word: string): IdCookie {
  const attributes = `${wholeHost}; HttpOnly; SameSite=Lax`;
  return {
    read(request) {
      const name = nameOf(word, seenBy(request));
      const header = request.headers.get("cookie") ?? "";
      if (header.length > headerLengthMax) return undefined;
      const found = header
        .split(";")
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${name}=`));
      const value = found.length === 1 ? found[0]?.slice(name.length + 1) : undefined;
      return value === "" ? undefined : value;
    },
    keep(id, lastsMs) {
      return `${word}=${id}; Max-Age=${Math.floor(lastsMs / 1_000)}; ${attributes}`;
    },
    forget: `${word}=; Max-Age=0; ${attributes}`,
  };
}
