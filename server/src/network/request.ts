/** A request in its wire form, and the endpoint it goes to. */

import type { Endpoint } from "./connection.ts";
import { basicCredentials } from "./proxy.ts";
import { type Target, urlOf } from "./target.ts";
import type { Tunnel } from "./tunnel.ts";

export type HttpRequest = {
  readonly method: "DELETE" | "GET" | "POST";
  readonly target: Target;
  /** All header fields, `host` included; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  /** Bytes that are the body instead, in their order; absent: `body` is all of it. */
  readonly pieces?: readonly Uint8Array[] | undefined;
  /** Whether the answer is passed on as it arrives, at the pace of a reader that may be slow. */
  readonly isStream: boolean;
  /** Whether the headers ask for an upgrade, which status 101 grants. */
  readonly upgrades?: boolean;
};

const endpoints = {
  stream: new WeakMap<Target, Endpoint>(),
  whole: new WeakMap<Target, Endpoint>(),
};

/**
 * Returns the endpoint of a request. The same target gets the same object, because the pool keeps
 * data by endpoint object.
 */
export function endpointOf(
  request: HttpRequest,
  address: string,
  ca: string | undefined,
): Endpoint {
  const { isStream, target } = request;
  const kept = isStream ? endpoints.stream : endpoints.whole;
  const known = kept.get(target);
  if (known?.address === address) return known;
  const endpoint: Endpoint = {
    address,
    port: portOf(target),
    tunnel: null,
    serverName: target.scheme === "https" ? bareHost(target) : null,
    isBounded: isStream,
    ca,
  };
  kept.set(target, endpoint);
  return endpoint;
}

/**
 * Returns the endpoint of a request through a proxy.
 *
 * @param direct the endpoint if the proxy's address were the target's.
 */
export function tunnelEndpoint(direct: Endpoint, tunnel: Tunnel): Endpoint {
  return { ...direct, port: tunnel.proxy.port, tunnel };
}

export function portOf({ port, scheme }: Target): number {
  if (port === "") return scheme === "https" ? 443 : 80;
  return Number(port.slice(1));
}

/** Returns the host of a target; IPv6 without brackets. */
export function bareHost({ host }: Target): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}

/**
 * The header text made from each headers object. All calls of a channel share such an object; only
 * the body's length differs.
 */
const heads = new WeakMap<HttpRequest["headers"], string | null>();

/**
 * Returns the head of the request, one character a byte. Undefined: a header contains a line break
 * or another character that would split the request.
 */
export function writeHead(
  { body, headers, method, pieces, target }: HttpRequest,
  tunnel: Tunnel | null,
): string | undefined {
  let fields = heads.get(headers);
  if (fields === undefined) {
    fields = writeFields(headers);
    heads.set(headers, fields);
  }
  if (fields === null) return undefined;
  const bytes = pieces?.reduce((sum, { length: each }) => sum + each, 0) ?? body?.length;
  const length = bytes === undefined ? "" : `content-length: ${bytes}\r\n`;
  if (tunnel?.isForwarded === true) fields = forwardedFields(fields, tunnel);
  const path = tunnel?.isForwarded === true ? urlOf(target) : target.path;
  return `${method} ${path} HTTP/1.1\r\n${fields}${length}\r\n`;
}

function forwardedFields(fields: string, { proxy }: Tunnel): string {
  const credentials = basicCredentials(proxy);
  return credentials === null ? fields : `${fields}proxy-authorization: ${credentials}\r\n`;
}

function writeFields(headers: HttpRequest["headers"]): string | null {
  let fields = "";
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[a-z0-9-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return null;
    fields += `${name}: ${value}\r\n`;
  }
  return fields;
}
