/** What a request asks for. The host it names decides nothing here, and need not be readable. */

export type Target = { readonly path: string; readonly query: URLSearchParams };

/**
 * Path and query of a request's address, as they were sent: nothing is decoded and `..` goes
 * nowhere. Without a usable `Host` header the address is a path only.
 */
export function readTarget(address: string): Target {
  const path = readPath(address);
  const mark = address.indexOf("?");
  return { path, query: new URLSearchParams(mark < 0 ? "" : address.slice(mark + 1)) };
}

/** The path alone, for where every microsecond counts. */
export function readPath(address: string): string {
  const start = address.startsWith("/") ? 0 : address.indexOf("/", address.indexOf("://") + 3);
  if (start < 0) return "/";
  const mark = address.indexOf("?", start);
  return mark < 0 ? address.slice(start) : address.slice(start, mark);
}
