/** Compression: what a client accepts, and compressing dynamic answers. */

import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** Best first. */
const known = ["br", "gzip"] as const;

export type Encoding = (typeof known)[number];

/** Texts shorter than this gain less than the header costs. */
const compressBytesMin = 1_024;

/** Compression level, of nine: higher ones take twice the time for a few per cent. */
const compressLevel = 4;

const compress = promisify(gzip);

/** The encodings a request's `Accept-Encoding` allows, best first. */
export function acceptedEncodings(header: string | null): Encoding[] {
  const offers = new Map<string, boolean>();
  for (const offer of (header ?? "").toLowerCase().split(",")) {
    const [name = "", ...parameters] = offer.split(";").map((part) => part.trim());
    offers.set(name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)));
  }
  return known.filter((name) => offers.get(name) ?? offers.get("*") ?? false);
}

/** A JSON answer, compressed if that helps and the client accepts it. */
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
  // Done on another thread, because this thread relays calls.
  const bytes = await compress(text, { level: compressLevel });
  return new Response(bytes, { status, headers: { ...described, "content-encoding": "gzip" } });
}
