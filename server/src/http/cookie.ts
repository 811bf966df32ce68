/**
 * Cookies that hold an id: the session's, the one that identifies a browser before sign-in, and the
 * marks of a device whose users have signed in before.
 */

import { isSecure } from "./proxies.ts";

/**
 * Reads and writes one cookie. The values of `Set-Cookie` are for plain HTTP; `secureCookie` turns
 * them into those for HTTPS.
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
 */
const securePrefix = "__Host-";

/** The longest cookie header that is read, in characters. */
const headerLengthMax = 16_384;

export const sessionCookie = openCookie("sid");

/** Identifies a browser while it signs in at an OAuth provider; it grants nothing. */
export const browserCookie = openCookie("bid");

/** Shows which users have signed in with this device; it grants no access. */
export const deviceCookie = openCookie("dev");

/** Turns a value of `Set-Cookie` into the one for a browser that uses HTTPS. */
export function secureCookie(setCookie: string): string {
  return `${securePrefix}${setCookie}; Secure`;
}

function openCookie(word: string): IdCookie {
  const attributes = "Path=/; HttpOnly; SameSite=Lax";
  return {
    read(request) {
      const name = isSecure(request) ? securePrefix + word : word;
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
