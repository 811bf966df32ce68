/** Reads a call's body and unpacks it. Limits its size before and after unpacking. */

import type { ByteBudget, Owner } from "#base/memory/byte-budget.ts";
import { type ContentCoding, readCoding, unpack } from "#base/content-coding.ts";
import type { BodyFault, ClientRequest } from "#http/client-request.ts";
import {
  bodyTooLarge,
  bodyTooSlow,
  bodyUnreadable,
  encodingUnknown,
  tooMuchUnfinished,
  tooMuchUnfinishedByUser,
  wrongMediaType,
} from "#relay/call/refusals.ts";

type Bytes = Uint8Array;

/** The longest content encoding that is quoted in an answer, in characters. */
const encodingShownMax = 40;

/**
 * Reads and unpacks the body. Returns no promise if the body arrived with the head, as small ones
 * do.
 *
 * @throws CallRefusal 400, 408, 413, 415, 429 or 503, also as a rejection.
 */
export function readBody(
  request: ClientRequest,
  bytesMax: number,
  budget: ByteBudget,
  owner: Owner,
): Bytes | Promise<Bytes> {
  checkMediaType(request.headers.get("content-type"));
  const encoding = request.headers.get("content-encoding");
  const coding = readCoding(encoding);
  if (coding === "unknown") throw encodingUnknown((encoding ?? "").slice(0, encodingShownMax));
  const reading = request.readBody(bytesMax, budget, owner);
  const whole =
    reading instanceof Promise
      ? reading.then((read) => bytesOf(read, bytesMax))
      : bytesOf(reading, bytesMax);
  return coding === null ? whole : unpackWhole(coding, whole, bytesMax);
}

/**
 * Refuses media types other than JSON. A proxy in front or the upstream could parse the same bytes
 * as a form, and see another request than the one that is checked and billed here.
 */
function checkMediaType(contentType: string | null): void {
  if (contentType === null || contentType === "application/json") return;
  const type = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  if (type !== "" && type !== "application/json") throw wrongMediaType();
}

/** @throws CallRefusal */
export function bytesOf(read: Buffer | BodyFault, bytesMax: number): Buffer {
  switch (read) {
    case "broken":
      throw bodyUnreadable("the body breaks off");
    case "busy":
      throw tooMuchUnfinished();
    case "too-large":
      throw bodyTooLarge(bytesMax);
    case "too-much":
      throw tooMuchUnfinishedByUser();
    case "too-slow":
      throw bodyTooSlow();
  }
  return read;
}

/** A compressed body may unpack to at most this many times its size. */
const ratioMax = 100;

async function unpackWhole(
  coding: ContentCoding,
  packed: Bytes | Promise<Bytes>,
  bytesMax: number,
): Promise<Bytes> {
  const given = await packed;
  const unpacked = await unpack(coding, given, Math.min(bytesMax, given.length * ratioMax));
  switch (unpacked) {
    case "broken":
      throw bodyUnreadable("the body is not what its content-encoding says");
    case "too-large":
      throw bodyTooLarge(bytesMax);
  }
  return unpacked;
}
