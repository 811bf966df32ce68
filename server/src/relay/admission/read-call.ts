/** Reads a request: what the relay needs of it, and the conversation that it continues. */

import type { ClientFormat, RequestBody, RequestPath } from "#formats/format.ts";
import { bodyRefused } from "#relay/call/refusals.ts";
import type { RelayDeps } from "#relay/deps.ts";
import { checkBounds } from "./bounds.ts";
import { cleaners } from "#relay/cleaners.ts";
import type { Conversation, Credential } from "#relay/call/facts.ts";
import { continueKept } from "#relay/call/kept.ts";

type ReadCall = {
  readonly bytes: Uint8Array;
  readonly body: RequestBody;
  /** Null: the format has no conversations that go on by an id. */
  readonly conversation: Conversation | null;
};

type ReadDeps = Pick<RelayDeps, "answers" | "snapshot">;

/**
 * Reads a request, and searches it for forbidden words.
 *
 * @throws CallRefusal when the request is invalid, also as a rejection.
 */
export function readCall(
  deps: ReadDeps,
  format: ClientFormat,
  credential: Credential,
  bytes: Uint8Array,
  path: RequestPath,
): Promise<ReadCall> | ReadCall {
  const body = format.readRequest(bytes, path);
  if ("message" in body) throw bodyRefused(body.code, body.param, body.message);
  checkBounds(deps.snapshot.options, body, bytes);
  if (format.kept !== undefined) {
    const continued = continueKept(deps, format, format.kept, credential, { bytes, body, path });
    return searchedLater(deps, format, continued);
  }
  searchWords(deps, format, bytes);
  return { bytes, body, conversation: null };
}

async function searchedLater(
  deps: ReadDeps,
  format: ClientFormat,
  later: Promise<ReadCall>,
): Promise<ReadCall> {
  const read = await later;
  searchWords(deps, format, read.bytes);
  return read;
}

function searchWords({ snapshot }: ReadDeps, { fields }: ClientFormat, bytes: Uint8Array): void {
  const { findWord } = snapshot.options;
  if (findWord !== null) cleaners.checkWords({ findWord, fields }, bytes);
}
