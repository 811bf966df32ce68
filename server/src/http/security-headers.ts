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

/** Origins of others that the console's page may load from. */
export type PageSources = {
  /** Whose scripts it runs. */
  readonly scripts: readonly string[];
  /** Whose pages it shows in a frame. */
  readonly frames: readonly string[];
  /** A frame opens a window that answers it, which a page on its own would cut off. */
  readonly popups: boolean;
};

/**
 * Of the console's own page. Styles may stand in elements, because the component kit places
 * floating parts that way; scripts may not, and no text is ever run as one.
 */
export function pageHeaders(
  secure: boolean,
  { scripts, frames, popups }: PageSources,
): Record<string, string> {
  const policy = [
    "default-src 'self'",
    `script-src ${sourceList(scripts)}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: https:",
    `frame-src ${sourceList(frames)}`,
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    "form-action 'self'",
  ];
  return {
    ...commonHeaders(secure),
    ...(popups ? { "cross-origin-opener-policy": "same-origin-allow-popups" } : {}),
    "cache-control": "no-cache",
    "content-security-policy": policy.join("; "),
  };
}

function sourceList(origins: readonly string[]): string {
  return [...new Set(["'self'", ...origins])].join(" ");
}
