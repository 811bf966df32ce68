/** Reads all routes of the product from its sources, so that the matrix can miss none. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { taskFolders } from "#platforms/registry.ts";

const top = join(import.meta.dir, "../../..");

/**
 * Returns all endpoints of the contract; `tidy.test.ts` proves that each has exactly one handler.
 */
export async function listEndpoints(): Promise<Endpoint[]> {
  const rooms = ["endpoints", "options"].map((room) => join(top, "contract/src", room));
  const paths = rooms.flatMap((room) => readdirSync(room).map((name) => join(room, name)));
  const found = new Set<Endpoint>();
  for (const path of paths.toSorted()) {
    if (!path.endsWith(".ts") || path.endsWith(".test.ts")) continue;
    const exported: unknown = await import(path);
    for (const value of Object.values(exported ?? {})) if (isEndpoint(value)) found.add(value);
  }
  return [...found];
}

/** Returns the name of a matrix row: `GET+POST /api/user/token`, `PUT /api/token/?status_only`. */
export function nameOf({ method, alias, path, flag }: Endpoint): string {
  const methods = alias === undefined ? method : `${method}+${alias}`;
  return `${methods} ${path}${flag === undefined ? "" : `?${flag}`}`;
}

/** Returns the method and path of every route of the relay. */
export function listRelayRoutes(): string[] {
  const ingress = readFileSync(join(top, "server/src/relay/ingress.ts"), "utf8");
  const rows = [
    ...ingress.matchAll(
      /\{\s+method: "(\w+)",\s+path: "(\S+)",\s+format: \w+,\s+to: "[\w-]+",?\s+\}/g,
    ),
  ];
  const [, prefixes = ""] = /unimplementedPrefixes = \[([^\]]*)\]/.exec(ingress) ?? [];
  return [
    ...rows.map(([, method, path]) => `${method} ${path}`),
    ...taskFolders.flatMap((folder) => [`GET /${folder}/**`, `POST /${folder}/**`]),
    ...[...prefixes.matchAll(/"([^"]+)"/g)].map(([, path]) => `POST ${path}`),
    "POST /api/demo/call",
    "POST /pg/chat/completions",
  ];
}

function isEndpoint(value: unknown): value is Endpoint {
  return typeof value === "object" && value !== null && "method" in value && "path" in value;
}
