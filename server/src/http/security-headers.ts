/** Headers that tell browsers what they may do with our answers. */

/** How long a browser remembers to come by HTTPS only: a year, in seconds. */
const httpsOnlySeconds = 31_536_000;

/** Of every answer, whatever it holds. `secure`: browsers reach us by HTTPS. */
export function commonHeaders(secure: boolean): Record<string, string> {
  return {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    ...(secure ? { "strict-transport-security": `max-age=${httpsOnlySeconds}` } : {}),
  };
}

/** Of answers of the console API: data, never shown or run as a page, never kept. */
export function apiHeaders(secure: boolean): Record<string, string> {
  return {
    ...commonHeaders(secure),
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  };
}

/**
 * Of the console's own page. Styles may stand in elements, because the component kit places
 * floating parts that way; scripts may not.
 *
 * @param frameSources origins whose pages the console shows in a frame.
 */
export function pageHeaders(
  secure: boolean,
  frameSources: readonly string[] = [],
): Record<string, string> {
  const policy = [
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: https:",
    `frame-src ${["'self'", ...frameSources].join(" ")}`,
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    "form-action 'self'",
  ];
  return {
    ...commonHeaders(secure),
    "cache-control": "no-cache",
    "content-security-policy": policy.join("; "),
  };
}
