/** What a request asks for. The host it names decides nothing here, and need not be readable. */

export type Target = { readonly path: string; readonly query: URLSearchParams };

/**
 * Path and query of a request's address, as they were sent: nothing is decoded and `..` goes
 * nowhere. Without a usable `Host` header the address is a path only.
 */
export function readTarget(address: string): Target {
  const start = address.startsWith("/") ? 0 : address.indexOf("/", address.indexOf("://") + 3);
  const target = start < 0 ? "/" : address.slice(start);
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  return { path, query: new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1)) };
}
