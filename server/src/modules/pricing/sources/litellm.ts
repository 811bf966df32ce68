/**
 * Reads the map of LiteLLM, `model_prices_and_context_window.json`: dollars per token by model; read
 * on 2026-11-30. Entries without prices of tokens, such as those by picture or second, are left out.
 */

import type { TokenDollars } from "@tollgate/contract/money/price-book.ts";
import type { Parsed } from "@tollgate/contract/endpoints/prices.ts";
import {
  entriesMax,
  fieldsOf,
  gather,
  notList,
  ownOf,
  readJson,
  readTokens,
  refuse,
  type SourceReader,
  textOf,
  tooManyEntries,
} from "./source-entries.ts";

const names = {
  input: "input_cost_per_token",
  output: "output_cost_per_token",
  cacheRead: "cache_read_input_token_cost",
  cacheWrite5m: "cache_creation_input_token_cost",
  cacheWrite1h: "cache_creation_input_token_cost_above_1hr",
  reasoning: "output_cost_per_reasoning_token",
  inputAudio: "input_cost_per_audio_token",
  outputAudio: "output_cost_per_audio_token",
} as const;

/** The kinds that vary with long prompts and with tiers. */
const varied = {
  input: "input_cost_per_token",
  output: "output_cost_per_token",
  cacheRead: "cache_read_input_token_cost",
} as const;

/** The endings of the fields of service tiers. */
const tiers = { batch: "_batches", flex: "_flex", priority: "_priority" } as const;

const stepEnding = /^input_cost_per_token(_above_(\d{1,5})k_tokens)$/;
const perMillion = 6;

/** An entry of the map that is an example of one. */
const example = "sample_spec";

/** Reads the whole map. */
export const readLiteLlm: SourceReader = (text, to) => {
  const models = fieldsOf(readJson(text));
  if (models === undefined) return notList;
  const all = Object.entries(models);
  if (all.length > entriesMax) return tooManyEntries;
  let known = 0;
  for (const [entry, model] of all) {
    const fields = fieldsOf(model);
    if (entry === example) continue;
    if (fields === undefined) {
      refuse(to, entry, "价格类型无法识别");
      continue;
    }
    const isKnown = ownOf(fields, "litellm_provider") !== undefined;
    if (isKnown) known += 1;
    if (ownOf(fields, names.input) === undefined) continue;
    const tokens = readTokens(fields, names, perMillion);
    const terms = readTerms(fields);
    if (!tokens.ok) refuse(to, entry, tokens.message);
    else if (!terms.ok) refuse(to, entry, terms.message);
    else {
      const vendor = textOf(ownOf(fields, "litellm_provider"));
      gather(to, entry, { entry, vendor, prices: { tokens: tokens.value, ...terms.value } });
    }
  }
  return known === 0 && to.entries.length === 0 && to.faultCount === 0 ? notList : null;
};

type Terms = {
  steps?: { above: number; tokens: TokenDollars }[];
  tiers?: Partial<Record<keyof typeof tiers, TokenDollars>>;
};

/** Reads the prices of long prompts and of service tiers. */
function readTerms(fields: Readonly<Record<string, unknown>>): Parsed<Terms> {
  const terms: Terms = {};
  for (const name of Object.keys(fields)) {
    const [, ending, thousands] = stepEnding.exec(name) ?? [];
    if (ending === undefined) continue;
    const step = readTokens(fields, withEnding(ending), perMillion);
    if (!step.ok) return step;
    terms.steps = [
      ...(terms.steps ?? []),
      { above: Number(thousands) * 1_000, tokens: step.value },
    ];
  }
  terms.steps?.sort((a, b) => a.above - b.above);
  for (const [tier, ending] of Object.entries(tiers)) {
    const read = readTokens(fields, withEnding(ending), perMillion);
    if (!read.ok) return read;
    if (read.value.input === undefined) continue;
    terms.tiers = { ...terms.tiers, [tier]: read.value };
  }
  return { ok: true, value: terms };
}

function withEnding(ending: string) {
  return Object.fromEntries(Object.entries(varied).map(([kind, name]) => [kind, name + ending]));
}
