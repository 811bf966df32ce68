/** A request as it goes out, and the endpoint it goes to. */

import type { Endpoint } from "./connection.ts";
import type { Target } from "./target.ts";

export type HttpRequest = {
  readonly method: "GET" | "POST";
  readonly target: Target;
  /** All of them, `host` included; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
  /** The answer is handed on while it comes, at the pace of whoever reads it. */
  readonly isStream: boolean;
};

/** A body this small goes out in one piece with its head. */
const joinedBytesMax = 16 * 1024;

const endpoints = {
  stream: new WeakMap<Target, Endpoint>(),
  whole: new WeakMap<Target, Endpoint>(),
};

/** The same value for the same place: the pool knows its connections by it. */
export function endpointOf(
  request: HttpRequest,
  address: string,
  ca: string | undefined,
): Endpoint {
  const { isStream, target } = request;
  const kept = isStream ? endpoints.stream : endpoints.whole;
  const known = kept.get(target);
  if (known?.address === address) return known;
  const { host, port, scheme } = target;
  const endpoint: Endpoint = {
    address,
    port: port === "" ? (scheme === "https" ? 443 : 80) : Number(port.slice(1)),
    serverName: scheme === "https" ? host.replace(/^\[(.*)\]$/, "$1") : null,
    isBounded: isStream,
    ca,
  };
  kept.set(target, endpoint);
  return endpoint;
}

/** Heads are the same for all calls of a channel, but for the length of the body. */
const heads = new WeakMap<HttpRequest["headers"], string | null>();

/** Undefined: a header that would be read as two. */
export function writeRequest({ body, headers, method, target }: HttpRequest): Buffer[] | undefined {
  let fields = heads.get(headers);
  if (fields === undefined) {
    fields = writeFields(headers);
    heads.set(headers, fields);
  }
  if (fields === null) return undefined;
  const length = body === null ? "" : `content-length: ${body.length}\r\n`;
  const head = `${method} ${target.path} HTTP/1.1\r\n${fields}${length}\r\n`;
  if (body === null) return [Buffer.from(head, "latin1")];
  if (body.length > joinedBytesMax) return [Buffer.from(head, "latin1"), asBuffer(body)];
  const joined = Buffer.allocUnsafe(head.length + body.length);
  joined.write(head, 0, "latin1");
  joined.set(body, head.length);
  return [joined];
}

function writeFields(headers: HttpRequest["headers"]): string | null {
  let fields = "";
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[a-z0-9-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return null;
    fields += `${name}: ${value}\r\n`;
  }
  return fields;
}

function asBuffer({ buffer, byteLength, byteOffset }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
