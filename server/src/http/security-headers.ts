/** Headers that restrict what browsers do with answers. */

/** How long browsers remember to use HTTPS only: a year, in seconds. */
const httpsOnlySeconds = 31_536_000;

/** Returns the headers of every answer. `secure`: browsers use HTTPS. */
export function commonHeaders(secure: boolean): Record<string, string> {
  return {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    ...(secure ? { "strict-transport-security": `max-age=${httpsOnlySeconds}` } : {}),
  };
}

/**
 * Returns the headers of console API answers, which are data: never rendered as a page, never
 * cached.
 */
export function apiHeaders(secure: boolean): Record<string, string> {
  return {
    ...commonHeaders(secure),
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  };
}

/** Foreign origins from which the console's page may load something. */
export type PageSources = {
  /** Origins whose scripts the page runs. */
  readonly scripts: readonly string[];
  /** Origins whose pages the page shows in frames. */
  readonly frames: readonly string[];
  /** Origins from which the page may load pictures. */
  readonly images: readonly string[];
  /**
   * Whether a frame opens a popup that sends a message back, which the default opener policy would
   * prevent.
   */
  readonly popups: boolean;
  /** Origins to which the page may post forms; absent: none. */
  readonly forms?: readonly string[];
};

/** Merges the origins of several sources. */
export function joinPageSources(parts: readonly PageSources[]): PageSources {
  return {
    scripts: parts.flatMap(({ scripts }) => scripts),
    frames: parts.flatMap(({ frames }) => frames),
    images: parts.flatMap(({ images }) => images),
    popups: parts.some(({ popups }) => popups),
    forms: parts.flatMap(({ forms = [] }) => forms),
  };
}

/**
 * Returns the headers of the console's page. Inline styles are allowed, because the component kit
 * positions floating parts with them. Of inline scripts only those are allowed that the page was
 * built with (`inlineScripts`: their hashes, as a policy names them); `eval` is not.
 */
export function pageHeaders(
  secure: boolean,
  { scripts, frames, images, popups, forms = [] }: PageSources,
  inlineScripts: readonly string[],
): Record<string, string> {
  const policy = [
    "default-src 'self'",
    `script-src ${sourceList([...inlineScripts, ...scripts])}`,
    "style-src 'self' 'unsafe-inline'",
    // If pictures from any origin were allowed, a model's answer could send data to an origin by
    // the URL of a picture.
    `img-src ${sourceList(images)} data:`,
    `frame-src ${sourceList(frames)}`,
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
    `form-action ${sourceList(forms)}`,
  ];
  return {
    ...commonHeaders(secure),
    ...(popups ? { "cross-origin-opener-policy": "same-origin-allow-popups" } : {}),
    "cache-control": "no-cache",
    "content-security-policy": policy.join("; "),
  };
}

/**
 * Returns the headers of the page that shows foreign HTML and pictures inside a frame of the
 * console. It may load pictures, fonts and media from anywhere, but runs only its own script, and
 * its origin is opaque even when it is opened in a tab.
 */
export function frameHeaders(secure: boolean): Record<string, string> {
  const anywhere = "https: http: data:";
  const policy = [
    "sandbox allow-popups allow-popups-to-escape-sandbox allow-scripts",
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    `img-src ${anywhere}`,
    `media-src ${anywhere}`,
    `font-src ${anywhere}`,
    "base-uri 'none'",
    "frame-ancestors 'self'",
    "form-action 'none'",
  ];
  return {
    ...commonHeaders(secure),
    "cache-control": "no-cache",
    "content-security-policy": policy.join("; "),
  };
}

function sourceList(origins: readonly string[]): string {
  return [...new Set(["'self'", ...origins])].join(" ");
}
