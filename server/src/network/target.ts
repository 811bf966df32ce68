/** URLs of outgoing requests, in parts. */

/** A proxy, of a channel or of the whole process. */
export type Proxy = {
  readonly scheme: "http" | "https" | "socks5";
  /** Host name, IPv4 address, or IPv6 address in brackets. */
  readonly host: string;
  readonly port: number;
  /** Both are empty if the proxy asks for none. Never to be logged. */
  readonly username: string;
  readonly password: string;
};

/** Where a request goes: a URL in parts. Parsed once for each channel and path. */
export type Target = {
  readonly scheme: "http" | "https";
  /** Host name, IPv4 address, or IPv6 address in brackets. */
  readonly host: string;
  /** The port with a colon, such as `:8080`; empty: the scheme's default port. */
  readonly port: string;
  /** The path with its leading slash, and the query if there is one. Percent-encoded. */
  readonly path: string;
  /** The proxy of a channel, through which the request goes; null: it has none of its own. */
  readonly proxy: Proxy | null;
};

/** Parses a URL; `proxy` is the one to go through. Null: it is not HTTP or HTTPS, or has credentials in it. */
export function parseTarget(url: string, proxy: Proxy | null = null): Target | null {
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
    proxy,
  };
}

/** Returns the URL of a target, as a proxy reads it, too (RFC 9112, section 3.2.2). */
export function urlOf({ host, path, port, scheme }: Target): string {
  return `${scheme}://${host}${port}${path}`;
}
