/**
 * Returns the server's public address as configured; the page's own origin if none is configured.
 */
export function serverUrlOf(configured: string | undefined, origin: string): string {
  const text = configured?.trim() ?? "";
  return (text === "" ? origin : text).replace(/\/+$/, "");
}
