/** Reads path and query from a request's URL. The host in it is not used and need not be valid. */

type Target = { readonly path: string; readonly query: URLSearchParams };

/** Returns path and query exactly as sent: nothing is decoded, and `..` is not resolved. */
export function readTarget(address: string): Target {
  const path = readPath(address);
  const mark = address.indexOf("?");
  return { path, query: new URLSearchParams(mark < 0 ? "" : address.slice(mark + 1)) };
}

/**
 * A path below which the gateway may be: segments that begin with no dot, so that no browser
 * resolves them, and no escapes.
 */
const basePathShape = /^(?:\/[\w~-][\w.~-]*)+$/;

const basePathLengthMax = 200;

/**
 * Reads the path below which browsers and clients see the gateway, such as `/gw`; empty: it has the
 * whole host. Undefined: the text is no such path.
 */
export function readBasePath(text: string): string | undefined {
  if (text.length > basePathLengthMax) return undefined;
  const path = text.endsWith("/") ? text.slice(0, -1) : text;
  return path === "" || basePathShape.test(path) ? path : undefined;
}

/**
 * Returns a path with its query as the gateway serves it: without the base path that it begins
 * with. A path that does not begin with it stays, because proxies may have taken it off.
 */
export function withoutBasePath(target: string, basePath: string): string {
  if (!target.startsWith(basePath)) return target;
  const rest = target.slice(basePath.length);
  if (rest === "" || rest.startsWith("?")) return `/${rest}`;
  return rest.startsWith("/") ? rest : target;
}

/** Returns the path alone. Every request needs it, so it is read without parsing the query. */
export function readPath(address: string): string {
  const start = address.startsWith("/") ? 0 : address.indexOf("/", address.indexOf("://") + 3);
  if (start < 0) return "/";
  const mark = address.indexOf("?", start);
  return mark < 0 ? address.slice(start) : address.slice(start, mark);
}
