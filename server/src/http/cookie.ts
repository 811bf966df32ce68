/** Cookies that carry an id: that of a browser's session, and the one a browser has before. */

export type SessionCookie = {
  /** The id a request carries; undefined: none, or more than one, which only a forger sends. */
  read(request: Request): string | undefined;
  /** Value of `Set-Cookie` that keeps `id` for as long as the session may last. */
  keep(id: string, lastsMs: number): string;
  /** Value of `Set-Cookie` that makes the browser forget it. */
  readonly forget: string;
};

/** Longest cookie header looked at, in characters. */
const headerLengthMax = 16_384;

/**
 * @param secure browsers reach us by HTTPS. The name's prefix then makes them refuse a cookie
 *   that another host or a page read in plain text tries to set.
 */
export function openSessionCookie(secure: boolean): SessionCookie {
  return openCookie(secure, "sid");
}

/** Names a browser while it is away to sign in elsewhere; nothing is allowed by it. */
export function openBrowserCookie(secure: boolean): SessionCookie {
  return openCookie(secure, "bid");
}

function openCookie(secure: boolean, word: string): SessionCookie {
  const name = secure ? `__Host-${word}` : word;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`;
  return {
    read(request) {
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
      return `${name}=${id}; Max-Age=${Math.floor(lastsMs / 1_000)}; ${attributes}`;
    },
    forget: `${name}=; Max-Age=0; ${attributes}`,
  };
}
