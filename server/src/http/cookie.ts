/** Cookies with an id: the session's, and the one that identifies a browser before sign-in. */

import { isSecure } from "./proxies.ts";

/**
 * These values of `Set-Cookie` are for plain HTTP; `secureCookie` turns them into those for HTTPS.
 */
type IdCookie = {
  /**
   * The id in a request's cookie; undefined: none, or more than one, which only an attacker sends.
   */
  read(request: Request): string | undefined;
  /** Value of `Set-Cookie` that stores `id` for the session's longest lifetime. */
  keep(id: string, lastsMs: number): string;
  /** Value of `Set-Cookie` that deletes it. */
  readonly forget: string;
};

/** Makes browsers reject a cookie that was set by another host or over plain HTTP. */
const securePrefix = "__Host-";

/** The longest cookie header that is read, in characters. */
const headerLengthMax = 16_384;

export const sessionCookie = openCookie("sid");

/** Identifies a browser while it signs in at an OAuth provider; it grants nothing. */
export const browserCookie = openCookie("bid");

/** A value of `Set-Cookie` for a browser that uses HTTPS. */
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
