/** Which requests need a key, and where it may be. */

import type { ClientFormatId } from "#formats/registry.ts";
import type { ClientRequest } from "#http/client-request.ts";
import type { Ingress } from "#relay/ingress.ts";
import type { KeyBearer } from "./authenticate.ts";

/** What is answered only to a valid key. */
export type KeyedIngress = Extract<
  Ingress,
  {
    kind:
      | "billing"
      | "call"
      | "count"
      | "generation"
      | "kept"
      | "model"
      | "models"
      | "realtime"
      | "responses-socket";
  }
>;

/** What is answered to anyone. */
export type OpenIngress = Exclude<Ingress, KeyedIngress>;

/** Whether the request needs a valid key. */
export function needsKey(ingress: Ingress): ingress is KeyedIngress {
  return !keyless.has(ingress.kind);
}

const keyless: ReadonlySet<string> = new Set<OpenIngress["kind"]>([
  "no-socket",
  "preflight",
  "task",
  "unimplemented",
  "unknown",
]);

const geminiFormats: ReadonlySet<ClientFormatId> = new Set([
  "gemini-vectors",
  "gemini-vector",
  "gemini-generate",
  "gemini-live",
  "gemini-live-alpha",
]);

/**
 * Whether this kind of request may carry the key in its query. Proxies and browsers store queries,
 * so only requests for models and those of Gemini's format may: its clients put the key there.
 */
export function takesKeyInQuery({ kind, format }: Ingress): boolean {
  return kind === "model" || kind === "models" || geminiFormats.has(format);
}

/** Whether this kind of request may carry the key in a subprotocol, where browsers have to put it. */
export function takesOfferedKey({ kind }: Ingress): boolean {
  return kind === "realtime" || kind === "responses-socket";
}

/** How an offered subprotocol begins that carries the key, as browsers send it. */
const keyProtocol = "openai-insecure-api-key.";

/** Returns the keys in the offered subprotocols. */
export function keysOffered(header: string | null): readonly string[] {
  return (header ?? "")
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each.startsWith(keyProtocol))
    .map((each) => each.slice(keyProtocol.length));
}

/** Finds the keys in the subprotocols as well, where browsers have to put theirs. */
export function withOfferedKeys({ headers, url }: ClientRequest): KeyBearer {
  return { headers, url, alsoKeys: keysOffered(headers.get("sec-websocket-protocol")) };
}
