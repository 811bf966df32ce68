/** Proxies for outgoing requests: of a channel, or of the whole process from its environment. */

import { openIpMatcher, parseIpRange } from "#base/ip-ranges.ts";
import type { Proxy, Target } from "./target.ts";

export type { Proxy };

const usualPorts = { http: 80, https: 443, socks5: 1080 } as const;

/** The longest user name and the longest password, in bytes: SOCKS5 has one byte for the length. */
const credentialBytesMax = 255;

/** Parses the URL of a proxy. Null: it is not one. `socks5h` is the same as `socks5` here. */
export function parseProxy(text: string): Proxy | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const scheme = schemeOf(url.protocol);
  if (scheme === null || url.hostname === "") return null;
  const username = decoded(url.username);
  const password = decoded(url.password);
  if (username === null || password === null) return null;
  return {
    scheme,
    host: url.hostname.toLowerCase(),
    port: url.port === "" ? usualPorts[scheme] : Number(url.port),
    username,
    password,
  };
}

function schemeOf(protocol: string): Proxy["scheme"] | null {
  switch (protocol) {
    case "http:":
      return "http";
    case "https:":
      return "https";
    case "socks5:":
    case "socks5h:":
      return "socks5";
    default:
      return null;
  }
}

function decoded(text: string): string | null {
  try {
    const plain = decodeURIComponent(text);
    return Buffer.byteLength(plain) <= credentialBytesMax ? plain : null;
  } catch {
    return null;
  }
}

/** The proxies of the process, as its environment names them. */
export type ProxySettings = {
  /** For `http` and for `https` targets; null: none. */
  readonly http: Proxy | null;
  readonly https: Proxy | null;
  /** Hosts that are reached directly, in the form of `NO_PROXY`. */
  readonly except: string;
};

/** Returns the proxy for a target; null: it is reached directly. */
export type FindProxy = (target: Target) => Proxy | null;

/** Returns how proxies are found; null: the process has none. */
export function openProxies({ http, https, except }: ProxySettings): FindProxy | null {
  if (http === null && https === null) return null;
  const rules = except
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map(exceptionOf);
  return (target) => {
    const host = target.host.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
    const port = target.port === "" ? (target.scheme === "https" ? ":443" : ":80") : target.port;
    if (isThisMachine(host) || rules.some((excepts) => excepts(host, port))) return null;
    return target.scheme === "https" ? https : http;
  };
}

type Exception = (host: string, port: string) => boolean;

/** Reads an entry of `NO_PROXY`: `*`, a name with or without its port, an address or a block. */
function exceptionOf(entry: string): Exception {
  if (entry === "*") return () => true;
  const range = parseIpRange(entry.replace(/^\[(.*)\]$/, "$1"));
  if (range !== undefined) return openIpMatcher([range]);
  const [, bare = entry, port = ""] = /^(.*?)(:\d+)?$/.exec(entry) ?? [];
  const name = bare.replace(/^\*?\./, "").replace(/^\[(.*)\]$/, "$1");
  return (host, hostPort) =>
    (host === name || host.endsWith(`.${name}`)) && (port === "" || port === hostPort);
}

const isLoopback = openIpMatcher(
  ["127.0.0.0/8", "::1"].map((text) => parseIpRange(text)).filter((range) => range !== undefined),
);

/** A proxy would take its own machine for this one. */
function isThisMachine(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || isLoopback(host);
}

/** Returns the value of the header that authenticates at an HTTP proxy; null: none is needed. */
export function basicCredentials({ username, password }: Proxy): string | null {
  if (username === "" && password === "") return null;
  return `Basic ${Buffer.from(`${username}:${password}`).toString("base64")}`;
}
