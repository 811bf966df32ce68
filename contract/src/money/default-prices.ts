/**
 * The price list of a new installation, which `POST /api/option/rest_model_ratio` restores. Prices
 * are written as vendors publish them, in US dollars a million tokens, as known early in 2026;
 * ratios are derived from them. Check the list before you charge real money:
 * https://openai.com/api/pricing, https://docs.anthropic.com/en/docs/about-claude/pricing,
 * https://ai.google.dev/gemini-api/docs/pricing, https://api-docs.deepseek.com/quick_start/pricing,
 * https://www.alibabacloud.com/help/en/model-studio/models, https://mistral.ai/pricing,
 * https://docs.x.ai/docs/models, https://cohere.com/pricing, https://docs.z.ai and
 * https://platform.moonshot.ai. If a price depends on the length of the input, the list has the
 * price of short inputs.
 */

import { trimEndOf } from "@tollgate/contract/fields/trim-end.ts";
import { type PriceList } from "./charge.ts";
import { decimalPlacesMax } from "./decimals.ts";

/**
 * Prices in US dollars per million tokens, as decimal text. `cached` absent: cached input costs as
 * much as other input.
 */
type TokenPrice = {
  readonly input: string;
  readonly output: string;
  readonly cached?: string;
  /**
   * Prices of input image, input audio and output audio tokens; absent: the defaults in `charge.ts`
   * apply.
   */
  readonly image?: string;
  readonly audio?: string;
  readonly audioOutput?: string;
};

/**
 * Each entry has the names of models, separated by blanks, and the price that these models share.
 */
const tokenPrices: readonly (readonly [names: string, price: TokenPrice])[] = [
  // OpenAI
  ["gpt-5.1 gpt-5.1-chat-latest gpt-5.1-codex", { input: "1.25", output: "10", cached: "0.125" }],
  ["gpt-5 gpt-5-chat-latest gpt-5-codex", { input: "1.25", output: "10", cached: "0.125" }],
  ["gpt-5-2025-08-07", { input: "1.25", output: "10", cached: "0.125" }],
  ["gpt-5-mini gpt-5-mini-2025-08-07", { input: "0.25", output: "2", cached: "0.025" }],
  ["gpt-5-nano gpt-5-nano-2025-08-07", { input: "0.05", output: "0.4", cached: "0.005" }],
  ["gpt-5-pro", { input: "15", output: "120" }],
  ["gpt-4.1 gpt-4.1-2025-04-14", { input: "2", output: "8", cached: "0.5" }],
  ["gpt-4.1-mini gpt-4.1-mini-2025-04-14", { input: "0.4", output: "1.6", cached: "0.1" }],
  ["gpt-4.1-nano gpt-4.1-nano-2025-04-14", { input: "0.1", output: "0.4", cached: "0.025" }],
  ["gpt-4o gpt-4o-2024-08-06 gpt-4o-2024-11-20", { input: "2.5", output: "10", cached: "1.25" }],
  ["gpt-4o-2024-05-13 chatgpt-4o-latest", { input: "5", output: "15" }],
  ["gpt-4o-mini gpt-4o-mini-2024-07-18", { input: "0.15", output: "0.6", cached: "0.075" }],
  [
    "gpt-4o-audio-preview gpt-4o-audio-preview-2024-12-17",
    { input: "2.5", output: "10", audio: "40", audioOutput: "80" },
  ],
  ["gpt-4o-mini-audio-preview", { input: "0.15", output: "0.6", audio: "10", audioOutput: "20" }],
  ["gpt-audio", { input: "2.5", output: "10", audio: "32", audioOutput: "64" }],
  ["o1 o1-2024-12-17", { input: "15", output: "60", cached: "7.5" }],
  ["o1-pro", { input: "150", output: "600" }],
  ["o3 o3-2025-04-16", { input: "2", output: "8", cached: "0.5" }],
  ["o3-pro", { input: "20", output: "80" }],
  ["o3-mini o3-mini-2025-01-31 o1-mini", { input: "1.1", output: "4.4", cached: "0.55" }],
  ["o4-mini o4-mini-2025-04-16", { input: "1.1", output: "4.4", cached: "0.275" }],
  ["gpt-4-turbo gpt-4-turbo-2024-04-09", { input: "10", output: "30" }],
  ["gpt-4 gpt-4-0613", { input: "30", output: "60" }],
  ["gpt-3.5-turbo gpt-3.5-turbo-0125", { input: "0.5", output: "1.5" }],
  ["gpt-image-1", { input: "5", output: "40", cached: "1.25", image: "10" }],
  ["text-embedding-3-small", { input: "0.02", output: "0.02" }],
  ["text-embedding-3-large", { input: "0.13", output: "0.13" }],
  ["text-embedding-ada-002", { input: "0.1", output: "0.1" }],
  // Anthropic
  ["claude-opus-4-6", { input: "5", output: "25", cached: "0.5" }],
  ["claude-sonnet-4-6", { input: "3", output: "15", cached: "0.3" }],
  ["claude-opus-4-5 claude-opus-4-5-20251101", { input: "5", output: "25", cached: "0.5" }],
  ["claude-opus-4-1 claude-opus-4-1-20250805", { input: "15", output: "75", cached: "1.5" }],
  ["claude-opus-4-0 claude-opus-4-20250514", { input: "15", output: "75", cached: "1.5" }],
  ["claude-sonnet-4-5 claude-sonnet-4-5-20250929", { input: "3", output: "15", cached: "0.3" }],
  ["claude-sonnet-4-0 claude-sonnet-4-20250514", { input: "3", output: "15", cached: "0.3" }],
  ["claude-haiku-4-5 claude-haiku-4-5-20251001", { input: "1", output: "5", cached: "0.1" }],
  [
    "claude-3-7-sonnet-latest claude-3-7-sonnet-20250219",
    { input: "3", output: "15", cached: "0.3" },
  ],
  [
    "claude-3-5-sonnet-latest claude-3-5-sonnet-20241022 claude-3-5-sonnet-20240620",
    { input: "3", output: "15", cached: "0.3" },
  ],
  [
    "claude-3-5-haiku-latest claude-3-5-haiku-20241022",
    { input: "0.8", output: "4", cached: "0.08" },
  ],
  ["claude-3-opus-latest claude-3-opus-20240229", { input: "15", output: "75", cached: "1.5" }],
  ["claude-3-haiku-20240307", { input: "0.25", output: "1.25", cached: "0.03" }],
  // Google
  ["gemini-3-pro-preview", { input: "2", output: "12", cached: "0.2" }],
  ["gemini-2.5-pro", { input: "1.25", output: "10", cached: "0.125", audio: "1.25" }],
  ["gemini-2.5-flash", { input: "0.3", output: "2.5", cached: "0.03", audio: "1" }],
  ["gemini-2.5-flash-lite", { input: "0.1", output: "0.4", cached: "0.01", audio: "0.3" }],
  ["gemini-2.0-flash", { input: "0.1", output: "0.4", cached: "0.025", audio: "0.7" }],
  ["gemini-2.0-flash-lite", { input: "0.075", output: "0.3", audio: "0.075" }],
  ["gemini-embedding-001", { input: "0.15", output: "0.15" }],
  // DeepSeek
  ["deepseek-chat deepseek-reasoner", { input: "0.28", output: "0.42", cached: "0.028" }],
  // Alibaba
  ["qwen3-max", { input: "1.2", output: "6" }],
  ["qwen-max", { input: "1.6", output: "6.4" }],
  ["qwen-plus", { input: "0.4", output: "1.2" }],
  ["qwen-flash", { input: "0.05", output: "0.4" }],
  ["qwen-turbo", { input: "0.05", output: "0.2" }],
  ["qwen3-coder-plus", { input: "1", output: "5" }],
  // Mistral
  ["mistral-large-latest pixtral-large-latest", { input: "2", output: "6" }],
  ["mistral-medium-latest", { input: "0.4", output: "2" }],
  ["mistral-small-latest", { input: "0.1", output: "0.3" }],
  ["magistral-medium-latest", { input: "2", output: "5" }],
  ["codestral-latest", { input: "0.3", output: "0.9" }],
  ["ministral-8b-latest", { input: "0.1", output: "0.1" }],
  ["ministral-3b-latest", { input: "0.04", output: "0.04" }],
  ["open-mistral-nemo", { input: "0.15", output: "0.15" }],
  ["mistral-embed", { input: "0.1", output: "0.1" }],
  // xAI
  ["grok-4 grok-4-0709", { input: "3", output: "15", cached: "0.75" }],
  [
    "grok-4-fast-reasoning grok-4-fast-non-reasoning",
    { input: "0.2", output: "0.5", cached: "0.05" },
  ],
  ["grok-code-fast-1", { input: "0.2", output: "1.5", cached: "0.02" }],
  ["grok-3", { input: "3", output: "15", cached: "0.75" }],
  ["grok-3-mini", { input: "0.3", output: "0.5", cached: "0.075" }],
  // Cohere
  ["command-a-03-2025 command-r-plus-08-2024", { input: "2.5", output: "10" }],
  ["command-r-08-2024", { input: "0.15", output: "0.6" }],
  ["command-r7b-12-2024", { input: "0.0375", output: "0.15" }],
  // Moonshot, Zhipu
  ["kimi-k2-0905-preview kimi-k2-thinking", { input: "0.6", output: "2.5", cached: "0.15" }],
  ["moonshot-v1-8k", { input: "0.2", output: "2" }],
  ["moonshot-v1-32k", { input: "1", output: "3" }],
  ["moonshot-v1-128k", { input: "2", output: "5" }],
  ["glm-4.6 glm-4.5", { input: "0.6", output: "2.2", cached: "0.11" }],
  ["glm-4.5-air", { input: "0.2", output: "1.1", cached: "0.03" }],
];

/**
 * Each entry has a price in US dollars per call and the names of the models that have it, separated
 * by blanks.
 */
const callPrices: readonly (readonly [dollars: string, names: string])[] = [
  ["0.1", "mj_blend mj_high_variation mj_imagine mj_low_variation mj_modal mj_pan mj_reroll"],
  ["0.1", "mj_shorten mj_variation mj_zoom suno_music"],
  ["0.05", "mj_describe mj_upload mj_uploads mj_upscale swap_face"],
  ["0", "mj_custom_zoom mj_inpaint"],
  ["0.01", "suno_lyrics"],
  ["0.04", "dall-e-3 imagen-4.0-generate-001"],
  ["0.03", "imagen-3.0-generate-002"],
];

/** The day that the list is of. Its newest models are of February 2026. */
const defaultPricesDate = "2026-02-28";

/** A dollar per million tokens is half a ratio unit, see `charge.ts`. */
const dollarsPerRatio = "2";

const prices: PriceList = {
  QuotaPerUnit: "500000",
  GroupRatio: { default: "1", svip: "1", vip: "1" },
  ModelRatio: ratios((price) => [price.input, dollarsPerRatio]),
  CompletionRatio: ratios((price) => [price.output, price.input]),
  ModelPrice: Object.fromEntries(
    callPrices.flatMap(([dollars, names]) => names.split(" ").map((name) => [name, dollars])),
  ),
  CacheRatio: ratios((price) => [price.cached, price.input]),
  CreateCacheRatio: { "claude-3-haiku-20240307": "1.2" },
  CreateCacheRatio1h: {},
  ImageRatio: ratios((price) => [price.image, price.input]),
  AudioRatio: ratios((price) => [price.audio, price.input]),
  AudioCompletionRatio: ratios((price) => [price.audioOutput, price.audio]),
  TaskPriceFactors: {},
  LongContextPrices: {},
  ServiceTierPrices: {},
  HourPrices: {},
  SearchPrices: {},
  TokenKindPrices: {},
};

export const defaultPriceList: PriceList = {
  ...prices,
  Sources: Object.fromEntries(
    [...Object.keys(prices.ModelRatio), ...Object.keys(prices.ModelPrice)].map((model) => [
      model,
      { from: "default", date: defaultPricesDate },
    ]),
  ),
};

/**
 * Divides two prices of each model that has both: the first price that `pick` returns by the
 * second.
 */
function ratios(
  pick: (price: TokenPrice) => readonly [string | undefined, string | undefined],
): Record<string, string> {
  return Object.fromEntries(
    tokenPrices.flatMap(([names, price]) => {
      const [dividend, divisor] = pick(price);
      if (dividend === undefined || divisor === undefined) return [];
      const ratio = quotient(dividend, divisor);
      return names.split(" ").map((name) => [name, ratio]);
    }),
  );
}

/**
 * Divides two decimals. Exact if the quotient has at most `decimalPlacesMax` digits after the
 * point, otherwise rounded half up.
 */
function quotient(dividend: string, divisor: string): string {
  const places = decimalPlacesMax;
  const scaled = wholeOf(dividend) * 10n ** BigInt(places);
  const by = wholeOf(divisor);
  const digits = String((2n * scaled + by) / (2n * by)).padStart(places + 1, "0");
  const part = trimEndOf(digits.slice(-places), "0");
  return digits.slice(0, -places) + (part === "" ? "" : `.${part}`);
}

/** Returns the decimal × 10^4 as a whole number; no price above has more digits after the point. */
function wholeOf(decimal: string): bigint {
  const [whole = "", part = ""] = decimal.split(".");
  return BigInt(whole + part.padEnd(4, "0"));
}
