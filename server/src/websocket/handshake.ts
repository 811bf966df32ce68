/** The request and response heads of the opening handshake of WebSocket (RFC 6455, section 4). */

import { createHash, randomBytes } from "node:crypto";

const version = "13";
/** The text that RFC 6455 (section 1.3) puts behind the client's key. */
const keyEnding = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

/** Sixteen bytes in base64. */
const keyText = /^[A-Za-z0-9+/]{21}[AQgw]==$/;

/** Header fields by lower-case name; null: absent. */
type Fields = { get(name: string): string | null };

/** What a request says about an upgrade to WebSocket. */
type Upgrade =
  | { readonly kind: "asked"; readonly accept: string; readonly protocols: readonly string[] }
  /** The request is for something else. */
  | { readonly kind: "none" }
  /** The request must be answered with this status and these fields. */
  | {
      readonly kind: "refused";
      readonly status: 400 | 426;
      readonly headers: Readonly<Record<string, string>>;
    };

const wrongVersion: Upgrade = {
  kind: "refused",
  status: 426,
  headers: { "sec-websocket-version": version },
};
const malformed: Upgrade = { kind: "refused", status: 400, headers: {} };

/** Reads a request. `hasBody`: bytes of a body follow its head, as they must not. */
export function readUpgrade(
  request: { readonly method: string; readonly minorVersion: number; readonly hasBody: boolean },
  fields: Fields,
): Upgrade {
  const isUpgrade = words(fields.get("connection")).includes("upgrade");
  if (!isUpgrade || !words(fields.get("upgrade")).includes("websocket")) return { kind: "none" };
  if (request.method !== "GET" || request.minorVersion === 0 || request.hasBody) return malformed;
  if (fields.get("sec-websocket-version") !== version) return wrongVersion;
  const key = fields.get("sec-websocket-key") ?? "";
  if (!keyText.test(key)) return malformed;
  return {
    kind: "asked",
    accept: acceptOf(key),
    protocols: list(fields.get("sec-websocket-protocol")),
  };
}

/** Makes a key, and the header fields with which a client asks for a WebSocket. */
export function askUpgrade(protocols: readonly string[]): {
  readonly key: string;
  readonly headers: Readonly<Record<string, string>>;
} {
  const key = randomBytes(16).toString("base64");
  return {
    key,
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-key": key,
      "sec-websocket-version": version,
      ...(protocols.length === 0 ? {} : { "sec-websocket-protocol": protocols.join(", ") }),
    },
  };
}

/**
 * Reads a server's answer with status 101. Returns the protocol it chose, possibly empty; undefined:
 * the answer is not the one that was asked for.
 */
export function readUpgraded(
  fields: Fields,
  key: string,
  protocols: readonly string[],
): string | undefined {
  const isUpgrade =
    words(fields.get("connection")).includes("upgrade") &&
    fields.get("upgrade")?.toLowerCase() === "websocket" &&
    fields.get("sec-websocket-accept") === acceptOf(key) &&
    // None was offered.
    fields.get("sec-websocket-extensions") === null;
  const protocol = fields.get("sec-websocket-protocol") ?? "";
  const isKnown = protocol === "" || protocols.includes(protocol);
  return isUpgrade && isKnown ? protocol : undefined;
}

function acceptOf(key: string): string {
  return createHash("sha1").update(`${key}${keyEnding}`).digest("base64");
}

function words(value: string | null): string[] {
  return list(value?.toLowerCase() ?? null);
}

function list(value: string | null): string[] {
  return (value ?? "")
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}
