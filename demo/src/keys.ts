/** The keys of calls, which may be any but one. */

import { type ErrorBody, keyMissing, keyRefused } from "./answers/errors.ts";
import type { DemoRequest } from "./request-parser.ts";

/** The only key that the demo upstream refuses, for demonstrations of an invalid key. */
const refusedKey = "sk-demo-bad";

/** Who calls, or why the call is refused. */
export type Admission = { readonly key: string } | { readonly refusal: ErrorBody };

/** Checks a key; an empty one is missing. */
export function admitKey(key: string): Admission {
  if (key === "") return { refusal: keyMissing };
  return key === refusedKey ? { refusal: keyRefused(key) } : { key };
}

/**
 * Checks the key of a request. Returns the refusal of an invalid key; undefined: the key is
 * accepted.
 */
export function refuseKey(request: DemoRequest): ErrorBody | undefined {
  const admission = admitKey(keyOf(request));
  return "refusal" in admission ? admission.refusal : undefined;
}

/** Returns the key, which may be any text; empty if there is none. */
export function keyOf({ header, query }: DemoRequest): string {
  const authorization = header("authorization") ?? "";
  const bearer = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
  const own = header("x-api-key") ?? header("x-goog-api-key");
  return bearer ?? own ?? new URLSearchParams(query).get("key") ?? "";
}
