/** The words of scripted answers, escaped for JSON. */

import type { DemoScript } from "@tollgate/demo/script.ts";

/** Forty words, which say that no model produced them. */
const scriptedText =
  "This is a scripted answer of the demo upstream. No model was asked, and every question gets " +
  "the same forty words, so that you can watch how calls are relayed, metered and charged before " +
  "you add a real channel yourself.";
const scriptedReasoning = "These are scripted words of reasoning, made up by the demo upstream.";

/** What stands for a provider's signature of its reasoning: base64, as clients must send it back. */
export const scriptedSignature = Buffer.from("scripted, signed by nobody").toString("base64");

export type Pieces = {
  /** Returns piece number `index`, escaped for a JSON string, without the quotes. */
  jsonAt(index: number): string;
  /** Returns the first `count` pieces, joined, escaped like `jsonAt`. */
  joined(count: number): string;
  /**
   * Length of the longest escaped piece, in UTF-16 code units. With it, the length of an answer is
   * bounded before the answer is made.
   */
  readonly lengthMax: number;
};

/** Number of pieces of the scripted text, which is the default of a script's `events`. */
export const scriptedPieceCount = scriptedText.split(" ").length;

const scriptedContent = openPieces(wordsOf(scriptedText));
const reasoning = openPieces(wordsOf(scriptedReasoning));

/**
 * Caches the pieces of scripts that have a text of their own. Weak, so that the pieces are dropped
 * with the script.
 */
const own = new WeakMap<DemoScript, Pieces>();

export function reasoningPieces(): Pieces {
  return reasoning;
}

export function contentPieces(script: DemoScript): Pieces {
  if (script.piece === undefined && script.pieceBytes === undefined) return scriptedContent;
  const known = own.get(script);
  if (known !== undefined) return known;
  const { piece = "demo ", pieceBytes } = script;
  const made = openPieces([pieceBytes === undefined ? piece : fill(piece, pieceBytes)]);
  own.set(script, made);
  return made;
}

/** How many characters of a text that is not words one piece has. */
const textPieceLength = 8;

/** Returns a text in pieces, and their number. */
export function textPieces(text: string): { readonly pieces: Pieces; readonly count: number } {
  const count = Math.ceil(text.length / textPieceLength);
  const words = Array.from({ length: count }, (_, index) =>
    text.slice(index * textPieceLength, (index + 1) * textPieceLength),
  );
  return { pieces: openPieces(words), count };
}

/** Splits a text into words. Like tokenizers, it puts the blank before the word. */
function wordsOf(text: string): string[] {
  return text.split(" ").map((word, index) => (index === 0 ? word : ` ${word}`));
}

/** Repeats `piece` while it fits into `bytes`, and fills the rest with full stops. */
function fill(piece: string, bytes: number): string {
  const pieceBytes = Buffer.byteLength(piece);
  const repeats = Math.floor(bytes / pieceBytes);
  return piece.repeat(repeats) + ".".repeat(bytes - repeats * pieceBytes);
}

/**
 * Makes pieces that repeat the words without end. Where the words begin again, the first one gets a
 * blank before it.
 */
function openPieces(words: readonly string[]): Pieces {
  const escaped = words.map(escapeJson);
  const first = escaped[0] ?? "";
  const again = words.length > 1 && !first.startsWith(" ") ? ` ${first}` : first;
  const jsonAt = (index: number): string =>
    index > 0 && index % escaped.length === 0 ? again : (escaped[index % escaped.length] ?? "");
  let lastCount = -1;
  let lastJoined = "";
  return {
    jsonAt,
    joined(count) {
      if (count === lastCount) return lastJoined;
      lastJoined = Array.from({ length: count }, (_, index) => jsonAt(index)).join("");
      lastCount = count;
      return lastJoined;
    },
    lengthMax: Math.max(1, again.length, ...escaped.map((word) => word.length)),
  };
}

/** Escapes a text for a JSON string, without the quotes. */
export function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
