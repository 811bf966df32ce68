/** Finds how many tokens a request asks a model to think, in the fields of all formats. */

import { readNumber, scanObject, type Span } from "#base/json-scan.ts";

/** The fields of chat requests that hold a budget, or name it. */
export const thinkingFields: readonly string[] = ["reasoning", "thinking", "thinking_budget"];

/** Where formats have it. The first field is at the top of the request. */
const paths: readonly (readonly string[])[] = [
  ["thinking", "budget_tokens"],
  ["thinking_budget"],
  ["reasoning", "max_tokens"],
  ["generationConfig", "thinkingConfig", "thinkingBudget"],
  ["generationConfig", "thinking_config", "thinking_budget"],
  ["generation_config", "thinking_config", "thinking_budget"],
  ["generation_config", "thinkingConfig", "thinkingBudget"],
];

const nowhere: readonly string[] = [];

/** A budget, and where it stands. */
type Budget = {
  readonly name: string;
  /** Null: the field stands there in two ways, or is no number. */
  readonly tokens: number | null;
};

/**
 * Returns the first budget above the bound, or that cannot be read; undefined: there is none.
 *
 * @param values the fields at the top of the request that its format has read.
 */
export function findWrongBudget(
  bytes: Uint8Array,
  values: ReadonlyMap<string, Span>,
  max: number,
): string | undefined {
  for (let at = 0; at < paths.length; at += 1) {
    const path = paths[at] ?? nowhere;
    const span = values.get(path[0] ?? "");
    if (span === undefined) continue;
    const found = budgetAt(bytes, span, path);
    if (found === undefined) continue;
    const { tokens } = found;
    if (tokens === null || !Number.isInteger(tokens) || tokens < unlimited || tokens > max) {
      return found.name;
    }
  }
  return undefined;
}

/** By this budget Gemini's models decide for themselves. */
const unlimited = -1;

function budgetAt(bytes: Uint8Array, top: Span, path: readonly string[]): Budget | undefined {
  let span: Span | undefined = top;
  for (let at = 1; at < path.length; at += 1) {
    if (span.kind !== "object") return undefined;
    const key: string = path[at] ?? "";
    const { doubled, miscased, values } = scanObject(bytes, [key], span);
    if (doubled.length + miscased.length > 0) return { name: path.join("."), tokens: null };
    span = values.get(key);
    if (span === undefined) return undefined;
  }
  if (span.kind === "null") return undefined;
  return { name: path.join("."), tokens: readNumber(bytes, span) ?? null };
}
