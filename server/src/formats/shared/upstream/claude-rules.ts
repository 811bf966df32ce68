/** What Claude models take, whoever serves them. */

import type { JsonObject } from "#base/json.ts";
import type { CanonicalRequest } from "#canonical/request.ts";
import type { Losses } from "#formats/shared/losses.ts";
import { budgetOf, budgetWithin, effortOf } from "#formats/shared/reasoning.ts";

/** What a Claude model takes. Newer models take other parameters than older ones. */
export type ModelRules = {
  /** The output limit when the client sets none. */
  readonly outputTokens: number;
  /** Whether the model decides itself how long to think, by an effort. */
  readonly adaptive: boolean;
  /** Whether the model takes a schema for its answer. */
  readonly structuredOutput: boolean;
  /** Whether the model refuses `temperature` and `top_p` together. */
  readonly oneOfTemperatureAndTopP: boolean;
  /** Whether the model takes sampling parameters at all. */
  readonly takesSampling: boolean;
};

/** Families from the newest to the oldest; the first that matches counts. */
const families: readonly (readonly [RegExp, ModelRules])[] = [
  [
    /claude-(opus|sonnet|haiku|mythos|fable)-(4-[6-9]|[5-9])/,
    {
      outputTokens: 32_000,
      adaptive: true,
      structuredOutput: true,
      oneOfTemperatureAndTopP: true,
      takesSampling: true,
    },
  ],
  [
    /claude-((opus|sonnet|haiku)-4-5|opus-4-1)/,
    {
      outputTokens: 32_000,
      adaptive: false,
      structuredOutput: true,
      oneOfTemperatureAndTopP: true,
      takesSampling: true,
    },
  ],
  [
    /claude-(opus|sonnet)-4/,
    {
      outputTokens: 32_000,
      adaptive: false,
      structuredOutput: false,
      oneOfTemperatureAndTopP: false,
      takesSampling: true,
    },
  ],
  [
    /claude-3-7|claude-3-5/,
    {
      outputTokens: 8_192,
      adaptive: false,
      structuredOutput: false,
      oneOfTemperatureAndTopP: false,
      takesSampling: true,
    },
  ],
  [
    /claude-(2|3|instant)/,
    {
      outputTokens: 4_096,
      adaptive: false,
      structuredOutput: false,
      oneOfTemperatureAndTopP: false,
      takesSampling: true,
    },
  ],
];

/** The rules of models that no family matches: other vendors offer theirs in this format, too. */
const otherModels: ModelRules = {
  outputTokens: 8_192,
  adaptive: false,
  structuredOutput: true,
  oneOfTemperatureAndTopP: false,
  takesSampling: true,
};

export function rulesOf(model: string): ModelRules {
  return families.find(([pattern]) => pattern.test(model))?.[1] ?? otherModels;
}

type Thinking = { readonly field?: JsonObject; readonly effort?: string; readonly budget: number };

/**
 * Asks for reasoning. While it is on, every turn with calls must begin with its signed reasoning,
 * no tool may be forced, and the output limit must have room for it, so otherwise it is turned off.
 */
export function claudeThinking(
  { limits, reasoning, toolChoice, output }: CanonicalRequest,
  { adaptive, structuredOutput }: ModelRules,
  unsignedCalls: boolean,
  losses: Losses,
): Thinking {
  const budget = reasoning === null ? null : budgetOf(reasoning);
  if (reasoning === null || budget === null) return { budget: 0 };
  const isForced =
    toolChoice?.type === "required" ||
    toolChoice?.type === "tool" ||
    (toolChoice?.type === "subset" && toolChoice.isRequired) ||
    (output?.type === "json-schema" && !structuredOutput);
  if (unsignedCalls || isForced) {
    losses.add("reasoning");
    return { budget: 0 };
  }
  if (adaptive && reasoning.budgetTokens === null) {
    const effort = effortOf(reasoning) ?? "medium";
    const word = effort === "minimal" ? "low" : effort;
    return { field: { type: "adaptive" }, effort: word, budget: 0 };
  }
  const size = budgetWithin(reasoning, limits);
  if (size === null) {
    losses.add("reasoning");
    return { budget: 0 };
  }
  return { field: { type: "enabled", budget_tokens: size }, budget: size };
}
