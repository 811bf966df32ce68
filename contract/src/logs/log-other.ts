/** The JSON text in field `other` of a log row. */

import { z } from "zod";
import { hourPrices, searchPrices, tokenKindPrices } from "@tollgate/contract/money/price-terms.ts";
import { shownLongContext, shownServiceTier } from "@tollgate/contract/endpoints/prices.ts";

const whole = z.number().int();

/**
 * What `other` of a call holds as JSON text. Programs that read it must expect that any field is
 * absent.
 */
export const logOther = z.object({
  /** US dollars per call; −1: the call was charged by tokens, with the ratios. */
  model_price: z.number().optional(),
  model_ratio: z.number().optional(),
  group_ratio: z.number().optional(),
  completion_ratio: z.number().optional(),
  cache_tokens: whole.optional(),
  cache_ratio: z.number().optional(),
  cache_creation_tokens: whole.optional(),
  /** Gives the charge of `cache_creation_tokens`, also where part of them stays for an hour. */
  cache_creation_ratio: z.number().optional(),
  /** The parts of `cache_creation_tokens` by how long they stay; absent: all for 5 minutes. */
  cache_creation_tokens_5m: whole.optional(),
  cache_creation_ratio_5m: z.number().optional(),
  cache_creation_tokens_1h: whole.optional(),
  cache_creation_ratio_1h: z.number().optional(),
  /** Milliseconds to the first byte; absent or below 0: there was none. */
  frt: z.number().optional(),
  /** Whether the answer is in the Anthropic format, whose input count leaves cached tokens out. */
  claude: z.boolean().optional(),
  ws: z.boolean().optional(),
  audio: z.boolean().optional(),
  audio_input: whole.optional(),
  audio_output: whole.optional(),
  text_input: whole.optional(),
  text_output: whole.optional(),
  audio_ratio: z.number().optional(),
  audio_completion_ratio: z.number().optional(),
  /** What the ratios were multiplied by because the prompt was long; absent: it was not. */
  long_context: shownLongContext.optional(),
  /** The service tier and its factors, which the ratios were multiplied by; absent: none. */
  service_tier: shownServiceTier.optional(),
  /** The hours by whose factors the ratios were multiplied, in UTC; absent: none. */
  hour_price: hourPrices.valueType.element.optional(),
  /** The web searches that the provider made, and the price of 1,000 in dollars; absent: none. */
  web_search: z.boolean().optional(),
  web_search_call_count: whole.optional(),
  web_search_price: z.number().optional(),
  /** What searches and calls cost beside the tokens, as option `SearchPrices`; absent: nothing. */
  search_prices: searchPrices.valueType.optional(),
  /** Quota units per token of a kind, as option `TokenKindPrices`; absent: the ratios say all. */
  kind_prices: tokenKindPrices.valueType.optional(),
  reasoning_effort: z.string().optional(),
  is_model_mapped: z.boolean().optional(),
  upstream_model_name: z.string().optional(),
  client_ip: z.string().optional(),
  group: z.string().optional(),
  /**
   * The status that the client got, and the error's type and code; only present if the call failed.
   */
  status_code: whole.optional(),
  error_type: z.string().nullable().optional(),
  error_code: z.string().nullable().optional(),
  /** Why the upstream's token counts were not accepted, or where they contradict themselves. */
  usage_doubt: z.string().optional(),
  /**
   * The upstream reported more output than it sent, but within the call's limit; the difference is
   * counted as hidden reasoning.
   */
  hidden_output: z.boolean().optional(),
  /** Details of the call that only root sees. */
  admin_info: z
    .object({
      /** Ids of the channels tried, in order. */
      use_channel: z.array(z.string()),
      /** Says why the last attempt got no answer; absent: it got one. */
      fault: z.string().optional(),
    })
    .optional(),
});
export type LogOther = z.infer<typeof logOther>;
