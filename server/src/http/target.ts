/** Reads path and query from a request's URL. The host in it is not used and need not be valid. */

type Target = { readonly path: string; readonly query: URLSearchParams };

/** Returns path and query exactly as sent: nothing is decoded, and `..` is not resolved. */
export function readTarget(address: string): Target {
  const path = readPath(address);
  const mark = address.indexOf("?");
  return { path, query: new URLSearchParams(mark < 0 ? "" : address.slice(mark + 1)) };
}

/** Returns the path alone. Every request needs it, so it is read without parsing the query. */
export function readPath(address: string): string {
  const start = address.startsWith("/") ? 0 : address.indexOf("/", address.indexOf("://") + 3);
  if (start < 0) return "/";
  const mark = address.indexOf("?", start);
  return mark < 0 ? address.slice(start) : address.slice(start, mark);
}
