/**
 * The most keys, values and escapes that a request's body may have. What parses or translates it
 * takes time by their number, much more than by the bytes, on the thread that relays everybody's
 * calls.
 */

import { type Most, type ObjectScan, scanObject } from "#base/json-scan.ts";
import { countValues, nestingMax } from "#base/json.ts";
import type { Item } from "#canonical/request.ts";
import type { Modality } from "#canonical/modality.ts";

/** The most keys at the top: several times as many as any API has fields. */
const keysMax = 1_000;

/**
 * The most values at any depth. A conversation of a thousand turns with a hundred tools has some
 * 15,000. To translate as many as this takes less than 100 ms (`server/test/growth/`).
 */
const valuesMax = 50_000;

/** The most in the arguments of all tool calls, which some formats read and write once more. */
const argumentValuesMax = 30_000;

/**
 * The most backslashes, of which an escape has one or two. A body of 10 MB that spells each Chinese
 * letter as `\uXXXX`, as some programs do, has 1,750,000, more than a million tokens; texts that
 * fill the context of a model have fewer.
 */
const escapesMax = 1_750_000;

const whole: Most = { keys: keysMax, values: valuesMax, escapes: escapesMax };

/** Inputs of these may be lists of token numbers, which are counted elsewhere, and are passed on. */
const tokenLists: Most = { ...whole, values: Infinity };

/** Returns what a request of a modality may have, for `scanObject`. */
export function mostOf(modality: Modality): Most {
  return modality === "embeddings" || modality === "completions" ? tokenLists : whole;
}

/** Says why the bytes of a request are too much to be parsed; empty: they are not. */
export function crowdedFault(bytes: Uint8Array): string {
  // Each value takes two bytes at least.
  const isSmall = bytes.length <= 2 * valuesMax;
  return isSmall ? "" : scanFault({ ...scanObject(bytes, [], { most: whole }), errorAt: -1 });
}

/**
 * Says what is wrong with the arguments of tool calls, which are JSON inside of texts; empty:
 * nothing. Code that walks them would use up the stack, or take too long.
 */
export function wrongArguments(items: readonly Item[]): string {
  let rest = argumentValuesMax;
  for (const item of items) {
    if (item.type !== "tool-call" || item.form !== "json") continue;
    const count = countValues(item.argsText);
    if (count < 0) return `the arguments of a tool call nest deeper than ${nestingMax} levels`;
    rest -= count;
    if (rest < 0) {
      return `the arguments of all tool calls have more than ${argumentValuesMax} values`;
    }
  }
  return "";
}

/** What the client is told. */
const manyValuesText = `the request body has more than ${keysMax} fields, or more than ${valuesMax} values; send fewer, larger ones`;
const manyEscapesText = `the request body has more than ${escapesMax} backslashes; send fewer, or letters in place of their escapes`;

/** Says why the scan of a body did not reach its end; empty: it did. */
export function scanFault({ errorAt, crowdedBy }: ObjectScan): string {
  if (crowdedBy === "escapes") return manyEscapesText;
  if (crowdedBy === "values") return manyValuesText;
  return errorAt < 0 ? "" : `the request body is not a JSON object (byte ${errorAt})`;
}
