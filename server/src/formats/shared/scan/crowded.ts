/**
 * The most keys and values that a request's body may have. What parses or translates it takes time
 * by their number, much more than by the bytes, on the thread that relays everybody's calls.
 */

import { type ObjectScan, scanObject } from "#base/json-scan.ts";
import { countValues, nestingMax } from "#base/json.ts";
import type { Item } from "#canonical/request.ts";
import type { Modality } from "#canonical/modality.ts";

/** The most keys at the top: several times as many as any API has fields. */
const keysMax = 1_000;

/**
 * The most values at any depth. A conversation of a thousand turns with a hundred tools has some
 * 15,000. To translate as many as this takes less than 100 ms (`server/test/growth/`).
 */
const valuesMax = 60_000;

const whole = { keys: keysMax, values: valuesMax } as const;

/** Inputs of these may be lists of token numbers, which are counted elsewhere, and are passed on. */
const tokenLists = { keys: keysMax, values: Infinity } as const;

/** Returns what a request of a modality may have, for `scanObject`. */
export function mostOf(modality: Modality): { readonly keys: number; readonly values: number } {
  return modality === "embeddings" || modality === "completions" ? tokenLists : whole;
}

/** Whether the bytes of a request that is one JSON object are too many values to be parsed. */
export function isCrowded(bytes: Uint8Array): boolean {
  // Each value takes two bytes at least.
  return bytes.length > 2 * valuesMax && scanObject(bytes, [], { most: whole }).isCrowded;
}

/**
 * Says what is wrong with the arguments of tool calls, which are JSON inside of texts; empty:
 * nothing. Code that walks them would use up the stack, or take too long.
 */
export function wrongArguments(items: readonly Item[]): string {
  let rest = valuesMax;
  for (const item of items) {
    if (item.type !== "tool-call" || item.form !== "json") continue;
    const count = countValues(item.argsText);
    if (count < 0) return `the arguments of a tool call nest deeper than ${nestingMax} levels`;
    rest -= count;
    if (rest < 0) return `the arguments of all tool calls have more than ${valuesMax} values`;
  }
  return "";
}

/** What the client is told. */
export const crowdedText = `the request body has more than ${keysMax} fields, or more than ${valuesMax} values; send fewer, larger ones`;

/** Says why the scan of a body did not reach its end; empty: it did. */
export function scanFault({ errorAt, isCrowded: stopped }: ObjectScan): string {
  if (stopped) return crowdedText;
  return errorAt < 0 ? "" : `the request body is not a JSON object (byte ${errorAt})`;
}
