/** Refuses calls that ask for more than the administrator allows any call. */

import {
  enterArray,
  newCursor,
  nextElement,
  openBrace,
  openBracket,
  quote,
  setCursor,
  skipValue,
} from "#base/json-cursor.ts";
import type { Span } from "#base/json-scan.ts";
import type { RequestBody } from "#formats/format.ts";
import { findWrongBudget } from "#formats/shared/scan/thinking-budget.ts";
import { bodyRefused } from "#relay/call/refusals.ts";
import type { RelayOptions } from "#ports/snapshot.ts";

type Bounds = Pick<RelayOptions, "embeddingInputsMax" | "thinkingBudgetMax">;

/**
 * Checks what a request asks for.
 *
 * @param bytes a body that `readRequest` accepted.
 * @throws CallRefusal 400, with the field and its bound.
 */
export function checkBounds(
  { embeddingInputsMax, thinkingBudgetMax }: Bounds,
  { modality, spans }: Pick<RequestBody, "modality" | "spans">,
  bytes: Uint8Array,
): void {
  if (modality === "embeddings") {
    checkInputs(spans, bytes, embeddingInputsMax);
    return;
  }
  const wrong = findWrongBudget(bytes, spans, thinkingBudgetMax);
  if (wrong === undefined) return;
  const message = `${wrong} must be a whole number of at most ${thinkingBudgetMax}`;
  throw bodyRefused("invalid_request", wrong, message);
}

/** Where formats have the inputs of embeddings. */
const inputFields = ["input", "requests", "texts"];

const cursor = newCursor();

function checkInputs(spans: ReadonlyMap<string, Span>, bytes: Uint8Array, max: number): void {
  for (const name of inputFields) {
    const span = spans.get(name);
    if (span?.kind !== "array" || countInputs(bytes, span, max) <= max) continue;
    const message = `${name} may have at most ${max} elements`;
    throw bodyRefused("invalid_embedding_request", name, message);
  }
}

/** Counts the inputs, at most one more than the bound. A list of token numbers is one input. */
function countInputs(bytes: Uint8Array, span: Span, max: number): number {
  setCursor(cursor, bytes, span.start, span.end);
  let count = 0;
  for (let more = enterArray(cursor); more && count <= max; more = nextElement(cursor)) {
    const first = bytes[cursor.at];
    const isInput = first === quote || first === openBracket || first === openBrace;
    if (!isInput) return 1;
    skipValue(cursor);
    count += 1;
  }
  return count;
}
