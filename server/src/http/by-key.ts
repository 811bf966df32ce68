/**
 * Console calls that are made by an API key in place of a session. Pages of any origin may call
 * them, because a browser sends no key by itself; they are never answered by cookie.
 */

import { Refusal } from "#base/refusal.ts";

/** Without `access-control-allow-credentials`, so that no cookie comes along. */
export const openToPages = { "access-control-allow-origin": "*" } as const;

/** Longest list of header names that a preflight gets allowed, in characters. */
const headerNamesMax = 1_000;
const headerNames = /^[\w!#$%&'*+.^`|~-]+(?: *, *[\w!#$%&'*+.^`|~-]+)*$/;

/** How long browsers may remember the answer, in seconds. */
const preflightSeconds = 86_400;

/** The answer to a browser that asks whether a page of another origin may make such a call. */
export function preflight(request: Request, headers: Readonly<Record<string, string>>): Response {
  const asked = request.headers.get("access-control-request-headers") ?? "";
  const isList = asked.length <= headerNamesMax && headerNames.test(asked);
  return new Response(null, {
    status: 204,
    headers: {
      ...headers,
      ...openToPages,
      "access-control-allow-methods": "GET, POST, OPTIONS",
      // `*` does not cover `authorization`, so the names are said.
      "access-control-allow-headers": isList ? asked : "authorization, content-type",
      "access-control-max-age": String(preflightSeconds),
    },
  });
}

/**
 * The key in `Authorization`, or else in the input `key`; empty: neither.
 *
 * @throws Refusal `malformed` when there are two different ones.
 */
export function readTokenKey(request: Request, input: { readonly key?: unknown }): string {
  const inHeader = bare(request.headers.get("authorization") ?? "");
  const inInput = typeof input.key === "string" ? bare(input.key) : "";
  if (inHeader !== "" && inInput !== "" && inHeader !== inInput) {
    throw new Refusal("malformed", "请求中有两个不同的密钥");
  }
  return inHeader === "" ? inInput : inHeader;
}

function bare(text: string): string {
  return text
    .replace(/^bearer(?:\s+|$)/i, "")
    .trim()
    .replace(/^sk-/, "");
}
