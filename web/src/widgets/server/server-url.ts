/** The server's public address; the page's own while the server does not know it. */
export function serverUrlOf(configured: string | undefined, origin: string): string {
  const text = configured?.trim() ?? "";
  return (text === "" ? origin : text).replace(/\/+$/, "");
}
