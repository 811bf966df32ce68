/** The server's public address; where it does not know it, the one this page came from. */
export function serverUrlOf(configured: string | undefined, origin: string): string {
  const text = configured?.trim() ?? "";
  return (text === "" ? origin : text).replace(/\/+$/, "");
}
