/**
 * Finds the handler of a console call by method, path and query flag. Nothing here depends on who
 * calls; `edge.ts` does the rest.
 */

import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import type { Handler } from "./handler.ts";

export type Fields = Readonly<Record<string, string>>;

export type Route = {
  readonly handler: Handler;
  /** Values of the parameters in the path. */
  readonly inPath: Fields;
};

/** Finds the handler of a call. Undefined: no endpoint has this method and path. */
type Router = (method: string, path: string, query: URLSearchParams) => Route | undefined;

type Candidate = {
  readonly handler: Handler;
  readonly methods: readonly string[];
  readonly wanted: readonly string[];
  readonly flag: string | undefined;
};

export function openRouter(handlers: readonly Handler[]): Router {
  const candidates = handlers
    .toSorted((a, b) => looseness(a.endpoint) - looseness(b.endpoint))
    .map((handler): Candidate => {
      const { method, path, alias, flag } = handler.endpoint;
      const methods = alias === undefined ? [method] : [method, alias];
      return { handler, methods, wanted: segments(path), flag };
    });
  return (method, path, query) => {
    const called = segments(path);
    for (const candidate of candidates) {
      const { handler, methods, wanted, flag } = candidate;
      if (wanted.length !== called.length || !methods.includes(method)) continue;
      if (flag !== undefined && !query.get(flag)) continue;
      const inPath = match(wanted, called);
      if (inPath !== undefined) return { handler, inPath };
    }
    return undefined;
  };
}

/**
 * Returns a number by which endpoints are sorted before they are tried, lowest first: fixed
 * segments before parameters, an endpoint that needs a query flag before the same one without.
 */
function looseness({ path, flag }: Endpoint): number {
  return path.split(":").length * 2 + (flag === undefined ? 1 : 0);
}

/**
 * Compares a path with an endpoint's and returns its parameters; undefined: they differ. Parameters
 * are not decoded, because they are ids and plain words.
 */
function match(wanted: readonly string[], called: readonly string[]): Fields | undefined {
  const fields: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = called[index] ?? "";
    if (segment.startsWith(":") && value !== "") fields[segment.slice(1)] = value;
    else if (segment !== value) return undefined;
  }
  return fields;
}

/** Returns the segments of a path. A trailing slash is ignored. */
function segments(path: string): string[] {
  return path.replace(/\/$/, "").split("/");
}
