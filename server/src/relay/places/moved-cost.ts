/**
 * What a turn costs more because its conversation was not where its prompt is cached. It is an
 * estimate, shown and summed, and never charged: by the part of the request that came before.
 */

import { charge, type UnitPrice } from "@tollgate/contract/money/charge.ts";
import { scanObject } from "#base/json-scan.ts";
import { inputOf, type Usage } from "#canonical/usage.ts";
import { turnFields } from "#formats/shared/scan/conversation-spans.ts";
import type { UpstreamFormatId } from "#formats/translation-registry.ts";

/** What the last answer in the messages of each format begins with, or has in front. */
const answerWords = ['"assistant"', '"function_call"', '"model"'].map((word) => Buffer.from(word));

/** The fewest tokens that a provider caches: OpenAI's and Anthropic's least (2026-11-30). */
const cachedTokensMin = 1_024;

/** What may be missing because caches have blocks, and bytes are not tokens. */
const blurShare = 0.1;

/** In these formats a provider caches only what a request marks, and says how much it has written. */
const marksCache: ReadonlySet<UpstreamFormatId> = new Set<UpstreamFormatId>([
  "anthropic-messages",
  "bedrock-converse",
  "bedrock-invoke",
]);

/** Returns the share of a request that the turn before has sent as well, between 0 and 1. */
export function cameAgain(bytes: Uint8Array): number {
  const { values } = scanObject(bytes, turnFields);
  for (const name of turnFields) {
    const span = values.get(name);
    if (span === undefined) continue;
    const messages = Buffer.from(
      bytes.buffer,
      bytes.byteOffset + span.start,
      span.end - span.start,
    );
    const answerAt = Math.max(...answerWords.map((word) => messages.lastIndexOf(word)));
    // From the last answer on, everything is new to the cache.
    return answerAt < 0 ? 0 : 1 - (messages.length - answerAt) / bytes.length;
  }
  return 0;
}

/** A call, as far as the estimate needs it. */
type Moved = {
  /** Absent or 0: its conversation has not moved. */
  readonly cameAgain?: number;
  readonly price?: UnitPrice;
  readonly way?: { readonly upstreamId: UpstreamFormatId } | null;
};

/** Returns how many quota units a charged call would have cost less at its own place. */
export function lostByMoving({ cameAgain: share = 0, price, way }: Moved, usage: Usage): number {
  if (share === 0 || price === undefined || !way) return 0;
  const expected = Math.floor(inputOf(usage) * share);
  const missing = expected - usage.cacheRead;
  if (expected < cachedTokensMin || missing <= expected * blurShare) return 0;
  const { input, cacheRead, cacheWrite5m, cacheWrite1h } = usage;
  if (marksCache.has(way.upstreamId)) {
    const short = Math.min(missing, cacheWrite5m);
    const long = Math.min(missing - short, cacheWrite1h);
    return dearer(price, usage, {
      cacheRead: cacheRead + short + long,
      cacheWrite5m: cacheWrite5m - short,
      cacheWrite1h: cacheWrite1h - long,
    });
  }
  const found = Math.min(missing, input);
  return dearer(price, usage, { cacheRead: cacheRead + found, input: input - found });
}

function dearer(price: UnitPrice, usage: Usage, better: Partial<Usage>): number {
  return Math.max(0, charge(price, usage) - charge(price, { ...usage, ...better }));
}
