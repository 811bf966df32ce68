/**
 * Which handler answers a console call: decided by method and path alone, before anything is
 * known of the caller. What surrounds a call is `edge.ts`.
 */

import type { Endpoint } from "@tollgate/contract/endpoint.ts";
import type { Handler } from "./handler.ts";

export type Fields = Readonly<Record<string, string>>;

export type Route = {
  readonly handler: Handler;
  /** Values of the path's parameters. */
  readonly inPath: Fields;
};

/** Undefined when no endpoint has this method and path. */
export type Router = (method: string, path: string, query: URLSearchParams) => Route | undefined;

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
      const { method, path, twin, flag } = handler.endpoint;
      const methods = twin === undefined ? [method] : [method, twin];
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

/** Endpoints are tried in this order: fixed segments before parameters, a flag before none. */
function looseness({ path, flag }: Endpoint): number {
  return path.split(":").length * 2 + (flag === undefined ? 1 : 0);
}

/** Nothing is decoded: parameters are ids and plain words. */
function match(wanted: readonly string[], called: readonly string[]): Fields | undefined {
  const fields: Record<string, string> = {};
  for (const [index, segment] of wanted.entries()) {
    const value = called[index] ?? "";
    if (segment.startsWith(":") && value !== "") fields[segment.slice(1)] = value;
    else if (segment !== value) return undefined;
  }
  return fields;
}

/** A final slash makes no difference. */
function segments(path: string): string[] {
  return path.replace(/\/$/, "").split("/");
}
