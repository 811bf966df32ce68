/** Cookies with an id: the session's, and the one that identifies a browser before sign-in. */

export type SessionCookie = {
  /**
   * The id in a request's cookie; undefined: none, or more than one, which only an attacker sends.
   */
  read(request: Request): string | undefined;
  /** Value of `Set-Cookie` that stores `id` for the session's longest lifetime. */
  keep(id: string, lastsMs: number): string;
  /** Value of `Set-Cookie` that deletes it. */
  readonly forget: string;
};

/** Longest cookie header that is read, in characters. */
const headerLengthMax = 16_384;

/**
 * @param secure whether browsers use HTTPS. The `__Host-` prefix then makes them reject a cookie
 *   set by another host or over plain HTTP.
 */
export function openSessionCookie(secure: boolean): SessionCookie {
  return openCookie(secure, "sid");
}

/** Identifies a browser while it signs in at an OAuth provider; it grants nothing. */
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
