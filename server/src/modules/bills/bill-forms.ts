/**
 * The forms of usage files: which headings have what. Read in the exports of the vendors' consoles,
 * and in the tables of new-api, as they were known on 2026-11-30.
 */

import type { BillColumn, BillKind } from "@tollgate/contract/endpoints/bills.ts";

/** The headings of a column, in lower case: the first that a file has counts. */
type Headings = readonly string[];

export type BillForm = {
  readonly columns: Readonly<Partial<Record<BillColumn, Headings>>>;
  /** Headings whose counts are added to the input. */
  readonly alsoInput: Headings;
  /** Whether each line is a call; otherwise it is a sum. */
  readonly isByCall: boolean;
  /** A column, and the values that lines of calls have in it; null: every line counts. */
  readonly only: { readonly heading: string; readonly values: readonly string[] } | null;
  /** What amounts are divided by to be US dollars. */
  readonly amountsPerDollar: number;
};

/** Quota units of a dollar in the family, whose logs have amounts in units. */
const familyUnits = 500_000;

export const billForms: Readonly<Record<Exclude<BillKind, "csv">, BillForm>> = {
  anthropic: {
    columns: {
      time: ["usage_date_utc", "date_utc", "date"],
      model: ["model_version", "model"],
      key: ["api_key", "api_key_name"],
      input: ["usage_input_tokens_no_cache", "uncached_input_tokens"],
      output: ["usage_output_tokens", "output_tokens"],
      amount: ["cost_usd"],
    },
    alsoInput: [
      "usage_input_tokens_cache_write_5m",
      "usage_input_tokens_cache_write_1h",
      "usage_input_tokens_cache_read",
    ],
    isByCall: false,
    only: null,
    amountsPerDollar: 1,
  },
  "new-api": {
    columns: {
      time: ["created_at"],
      model: ["model_name"],
      key: ["token_name"],
      id: ["request_id"],
      input: ["prompt_tokens"],
      output: ["completion_tokens"],
      amount: ["quota"],
    },
    alsoInput: [],
    isByCall: true,
    only: { heading: "type", values: ["2"] },
    amountsPerDollar: familyUnits,
  },
  openai: {
    columns: {
      time: ["start_time", "start_time_iso", "date"],
      model: ["model", "snapshot_id"],
      key: ["api_key_name", "api_key_id"],
      input: ["input_tokens", "n_context_tokens_total"],
      output: ["output_tokens", "n_generated_tokens_total"],
      calls: ["num_model_requests", "n_requests"],
      amount: ["amount_value", "cost_in_major"],
    },
    alsoInput: [],
    isByCall: false,
    only: null,
    amountsPerDollar: 1,
  },
  openrouter: {
    columns: {
      time: ["created_at"],
      model: ["model_permaslug", "model"],
      key: ["api_key_name"],
      id: ["generation_id", "id"],
      input: ["tokens_prompt", "native_tokens_prompt"],
      output: ["tokens_completion", "native_tokens_completion"],
      amount: ["cost_total", "usage"],
    },
    alsoInput: [],
    isByCall: true,
    only: null,
    amountsPerDollar: 1,
  },
};
