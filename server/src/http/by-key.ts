/**
 * Console calls that are authenticated by an API key instead of a session. Pages of any origin may
 * call them, because a browser never sends a key by itself. Cookies are ignored.
 */

import { Refusal } from "#base/refusal.ts";

/**
 * Headers that let pages of any origin read the answer. `access-control-allow-credentials` is left
 * out, so that browsers send no cookie.
 */
export const openToPages = { "access-control-allow-origin": "*" } as const;

/** The longest list of header names that a preflight answer allows, in characters. */
const headerNamesMax = 1_000;
const headerNames = /^[\w!#$%&'*+.^`|~-]+(?: *, *[\w!#$%&'*+.^`|~-]+)*$/;

/** How long browsers may remember the answer to a preflight, in seconds. */
const preflightSeconds = 86_400;

/**
 * Answers a preflight, by which a browser asks whether a page of another origin may make a call.
 */
export function preflight(request: Request, headers: Readonly<Record<string, string>>): Response {
  const asked = request.headers.get("access-control-request-headers") ?? "";
  const isList = asked.length <= headerNamesMax && headerNames.test(asked);
  return new Response(null, {
    status: 204,
    headers: {
      ...headers,
      ...openToPages,
      "access-control-allow-methods": "GET, POST, OPTIONS",
      // `*` does not cover `authorization`, so the answer lists the names.
      "access-control-allow-headers": isList ? asked : "authorization, content-type",
      "access-control-max-age": String(preflightSeconds),
    },
  });
}

/**
 * Returns the API key of a call: from `Authorization`, otherwise from the input `key`; empty: none
 * was sent.
 *
 * @throws Refusal `malformed` if both are sent and differ.
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
