/** Finds the platform that answers a path. */

import { trimEndOf } from "@tollgate/contract/fields/trim-end.ts";
import type { FoundRoute } from "#ports/task-desk.ts";
import { platforms } from "#platforms/registry.ts";

/** A mode, such as `fast` or `mj-turbo`, before the paths of Midjourney. */
const modePath = /^\/([\w-]+)(?=\/mj\/)/;

/** The longest segment of a path that stands for an id, in characters. */
const segmentMax = 200;

const routes = platforms.flatMap(({ id, routes: own }) =>
  own.map((route) => ({ platform: id, route, parts: route.path.split("/") })),
);

/** Undefined: no platform answers the path. */
export function findRoute(method: string, given: string): FoundRoute | undefined {
  const plain = trimEndOf(given.replace(/^\/+/, "/"), "/");
  const mode = modePath.exec(plain)?.[1] ?? "";
  const parts = (mode === "" ? plain : plain.slice(mode.length + 1)).split("/");
  for (const { platform, route, parts: wanted } of routes) {
    if (route.method !== method || wanted.length !== parts.length) continue;
    const segments = matchParts(wanted, parts);
    if (segments !== undefined) return { platform, route, segments, mode };
  }
  return undefined;
}

function matchParts(wanted: readonly string[], parts: readonly string[]): string[] | undefined {
  const segments: string[] = [];
  for (const [index, want] of wanted.entries()) {
    const part = parts[index] ?? "";
    if (want !== "*" && want !== part) return undefined;
    if (want !== "*") continue;
    const segment = decode(part);
    if (segment === undefined || segment === "") return undefined;
    segments.push(segment);
  }
  return segments;
}

function decode(part: string): string | undefined {
  try {
    const segment = decodeURIComponent(part);
    return segment.length <= segmentMax ? segment : undefined;
  } catch {
    return undefined;
  }
}
