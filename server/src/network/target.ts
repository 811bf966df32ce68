/** Addresses of outgoing requests. */

/** Where a call goes. Made once a channel and path. */
export type Target = {
  readonly scheme: "http" | "https";
  /** Name, IPv4 address, or IPv6 address in brackets. */
  readonly host: string;
  /** `:8080`, or empty for the scheme's own. */
  readonly port: string;
  /** With its leading slash, and the query when there is one. Percent-encoded. */
  readonly path: string;
};

/** Null: no address the gateway may call. */
export function parseTarget(url: string): Target | null {
  if (!URL.canParse(url)) return null;
  const { protocol, hostname, port, pathname, search, username, password } = new URL(url);
  if ((protocol !== "http:" && protocol !== "https:") || username !== "" || password !== "") {
    return null;
  }
  return {
    scheme: protocol === "https:" ? "https" : "http",
    host: hostname,
    port: port === "" ? "" : `:${port}`,
    path: pathname + search,
  };
}
