/** Compression: finds what a client accepts, and compresses answers that are made per call. */

import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** The encodings that answers may have, best first. */
const known = ["br", "gzip"] as const;

export type Encoding = (typeof known)[number];

/**
 * A text shorter than this is not compressed: it would gain less than the additional header costs.
 */
const compressBytesMin = 1_024;

/**
 * Compression level, from 1 to 9. Higher levels take twice the time to save a few per cent more.
 */
const compressLevel = 4;

const compress = promisify(gzip);

/** Returns the encodings that a request's `Accept-Encoding` allows, best first. */
export function acceptedEncodings(header: string | null): Encoding[] {
  const offers = new Map<string, boolean>();
  for (const offer of (header ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = offer.split(";").map((part) => part.trim());
    offers.set(name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)));
  }
  return known.filter((name) => offers.get(name) ?? offers.get("*") ?? false);
}

/** Returns a JSON answer, compressed if that saves bytes and the client accepts it. */
export async function jsonResponse(
  value: object,
  status: number,
  headers: Readonly<Record<string, string>>,
  acceptEncoding: string | null,
): Promise<Response> {
  const text = JSON.stringify(value);
  const described = {
    ...headers,
    "content-type": "application/json;charset=utf-8",
    vary: "accept-encoding",
  };
  const takesGzip = acceptedEncodings(acceptEncoding).includes("gzip");
  if (!takesGzip || text.length < compressBytesMin) {
    return new Response(text, { status, headers: described });
  }
  // Compression runs on another thread, because this one relays calls.
  const bytes = await compress(text, { level: compressLevel });
  return new Response(bytes, { status, headers: { ...described, "content-encoding": "gzip" } });
}
