/**
 * Holds the memory of a piece of an upstream's stream that has not come to its end, such as a long
 * event, and limits how long it may take.
 */

import type { OpenCall, UnfinishedPiece } from "#relay/call/attempt-state.ts";
import { HeldBytes, uncountedBytes } from "#base/memory/byte-budget.ts";
import type { RelayState } from "#relay/call/relay-state.ts";
import type { StreamMeter } from "./stream-meter.ts";

/** How long one piece may take from its first bytes that are counted to its last. */
export const pieceMs = 120_000;

/**
 * To be called after bytes were given to the meter. False: there is no memory for the piece, or it
 * takes too long; the stream is to be ended.
 */
export function holdPiece(state: RelayState, call: OpenCall, meter: StreamMeter): boolean {
  const { unfinishedBytes } = meter;
  const { piece } = call;
  if (unfinishedBytes <= uncountedBytes) {
    if (piece !== null) endPiece(piece);
    return true;
  }
  const { budget, ticker } = state.deps;
  const owner = call.credential.user.id;
  const present = piece ?? { held: new HeldBytes({ budget, owner }), dueMs: Infinity };
  call.piece = present;
  const nowMs = ticker.nowMs();
  if (present.dueMs === Infinity) present.dueMs = nowMs + pieceMs;
  return nowMs < present.dueMs && present.held.hold(unfinishedBytes) === null;
}

/** Frees the memory of the piece, which is complete or not wanted any more. */
export function endPiece(piece: UnfinishedPiece): void {
  piece.dueMs = Infinity;
  piece.held.free();
}
