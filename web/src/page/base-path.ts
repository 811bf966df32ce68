/**
 * Where this console is on its host. A reverse proxy may give it a path of a host that it shares
 * with other programs; the server then writes the path into the page.
 */

/** The path below which the console is, such as `/gw`; empty: it has the whole host. */
export const basePath =
  typeof document === "undefined" ? "" : (document.documentElement.dataset["base"] ?? "");

/** Returns the address of something that the server has at this path. */
export function below(path: string): string {
  return basePath + path;
}

/** Returns the address of the console as the browser sees it, without a slash at its end. */
export function ownAddress(): string {
  return location.origin + basePath;
}

/**
 * Returns the key by which a value is kept in the storage of the browser. Programs of one host share
 * it, so below a path the keys begin with the path; `before-paint.js` knows these keys too.
 */
export function storageKey(name: string): string {
  return basePath === "" ? name : `${basePath}:${name}`;
}
