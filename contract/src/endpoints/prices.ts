/**
 * Prices as text: what root types, what programs send, and what is shown. They never become floats,
 * so `0.1` stays a tenth. `charge.ts` computes what a call costs. The server keeps the list in
 * versions, and `GET /api/pricing` shows the part of it that the caller may use.
 */

import { trimEndOf } from "@tollgate/contract/fields/trim-end.ts";
import { z } from "zod";
import { decimalPlacesMax, decimalText } from "@tollgate/contract/money/decimals.ts";
import { endpoint } from "./endpoint.ts";
import {
  searchPrices,
  hourPrices,
  type LongContext,
  type LongStep,
  type ServiceTierFactors,
  type TierFactors,
  tokenKindPrices,
} from "@tollgate/contract/money/price-terms.ts";
import { type ServiceTier, serviceTier } from "@tollgate/contract/money/service-tiers.ts";

/** A value, or a message for people that says why there is none. */
export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string };

/** The largest number of entries of one map, such as models with a ratio. */
const priceEntriesMax = 10_000;

/** The longest name of a model, in characters. */
export const modelNameMax = 255;

/** The largest number of digits before the decimal point of a ratio or price. */
const wholeDigitsMax = 15;

/** Names that every JavaScript object has, which no map may contain. */
export const reservedNames: ReadonlySet<string> = new Set([
  "__proto__",
  "constructor",
  "prototype",
]);

/**
 * Reads a decimal ≥ 0 as people and programs write it, such as `1.50` or `15e-1`, and returns the
 * text that `charge.ts` accepts: `1.5`.
 */
export function parseDecimal(text: string): Parsed<string> {
  const match = /^(-?)(\d{1,400})(?:\.(\d{0,400}))?(?:[eE]([+-]?\d{1,3}))?$/.exec(text.trim());
  const shown = text.slice(0, 40);
  if (match === null) return { ok: false, message: `不是数字：${shown}` };
  const [, sign, before = "", after = "", exponent = "0"] = match;
  const digits = before + after;
  if (sign === "-" && /[1-9]/.test(digits)) return { ok: false, message: `不能小于 0：${shown}` };
  const point = before.length + Number(exponent);
  const whole = digits.slice(0, Math.max(point, 0)).padEnd(Math.max(point, 0), "0");
  const part = "0".repeat(Math.max(-point, 0)) + digits.slice(Math.max(point, 0));
  const value = plainDecimal(whole.replace(/^0+/, ""), trimEndOf(part, "0"));
  return decimalText.safeParse(value).success
    ? { ok: true, value }
    : { ok: false, message: `${rangeRule}：${shown}` };
}

const rangeRule = `超出范围（整数最多 ${wholeDigitsMax} 位，小数最多 ${decimalPlacesMax} 位）`;

function plainDecimal(whole: string, part: string): string {
  return (whole || "0") + (part === "" ? "" : `.${part}`);
}

/** Reads a map of names to decimals from JSON text; the decimals may be numbers or text. */
export function parseDecimalMap(json: string): Parsed<Readonly<Record<string, string>>> {
  const pairs = parseFlatObject(json);
  if (!pairs.ok) return pairs;
  const map: Record<string, string> = {};
  for (const [name, token] of pairs.value) {
    const decimal = parseDecimal(typeof token === "string" ? token : token.number);
    if (!decimal.ok) return { ok: false, message: `${name}：${decimal.message}` };
    map[name] = decimal.value;
  }
  return { ok: true, value: map };
}

/**
 * Writes a map as indented JSON text whose values are numbers, with every digit of the decimals.
 */
export function showDecimalMap(map: Readonly<Record<string, string>>): string {
  const lines = Object.entries(map).map(([name, text]) => `  ${JSON.stringify(name)}: ${text}`);
  return lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n}`;
}

/** A value of a flat JSON object; a number is kept as the text that it was written as. */
type FlatValue = string | { readonly number: string };

/** What a name of a model in an option must be. */
export const nameRule = `名称长度必须在 1-${modelNameMax} 之间，且首尾无空格`;

const notJson = { ok: false, message: "不是合法的 JSON 字符串" } as const;

/** Matches `"name": value` and the comma or brace after it, in JSON that is known to be flat. */
const flatPair = /\s*("(?:[^"\\]|\\.)*")\s*:\s*("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)\s*[,}]/y;

/**
 * Reads the pairs of a JSON object of texts and numbers; numbers stay as they were written. Refuses
 * other values, duplicate names (because two readers could use different ones), and reserved and
 * empty names.
 */
export function parseFlatObject(json: string): Parsed<[string, FlatValue][]> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    return notJson;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return notJson;
  const flat = Object.values(value).every((item) => ["number", "string"].includes(typeof item));
  if (!flat) return notJson;
  const pairs: [string, FlatValue][] = [];
  const seen = new Set<string>();
  flatPair.lastIndex = json.indexOf("{") + 1;
  for (let match = flatPair.exec(json); match !== null; match = flatPair.exec(json)) {
    const name = String(JSON.parse(match[1] ?? ""));
    const token = match[2] ?? "";
    if (seen.has(name)) return { ok: false, message: `重复的名称：${name}` };
    if (name.trim() !== name || name === "" || name.length > modelNameMax) {
      return { ok: false, message: `${nameRule}：${name.slice(0, 40)}` };
    }
    if (reservedNames.has(name)) return { ok: false, message: `名称不可用：${name}` };
    seen.add(name);
    pairs.push([name, token.startsWith('"') ? String(JSON.parse(token)) : { number: token }]);
    if (pairs.length > priceEntriesMax) {
      return { ok: false, message: `最多 ${priceEntriesMax} 项` };
    }
  }
  return { ok: true, value: pairs };
}

/** `tokens`: charged by tokens; `call`: a fixed price per call. */
export const quotaType = z.enum({ tokens: 0, call: 1 });

/** A ratio of the model's price list; absent: none is set, and `charge.ts` has its default. */
const setRatio = z.number().optional();

const shownLongStep = z.object({
  above: z.number(),
  ratio: z.number(),
  completion_ratio: z.number(),
  /** The factor of input that is read from a cache; absent: `ratio`. */
  cache_ratio: z.number().optional(),
});

/** What long prompts cost more, in numbers for display; see `charge.ts`. */
export const shownLongContext = shownLongStep.extend({
  /** Further steps, each above the one before it; absent: none. */
  further: z.array(shownLongStep).optional(),
});
type ShownLongContext = z.infer<typeof shownLongContext>;

export function showLongContext({ further, ...first }: LongContext): ShownLongContext {
  const shown = showLongStep(first);
  return further === undefined ? shown : { ...shown, further: further.map(showLongStep) };
}

/** Converts a step of long prompts to numbers. */
export function showLongStep({ above, ratio, completion, cache }: LongStep) {
  return {
    above,
    ratio: Number(ratio),
    completion_ratio: Number(completion),
    ...(cache === undefined ? {} : { cache_ratio: Number(cache) }),
  };
}

/** A service tier and its factors of prices, in numbers for display; see `charge.ts`. */
export const shownServiceTier = z.object({
  tier: serviceTier,
  ratio: z.number(),
  /** The factor of input that is read from a cache. */
  cache_ratio: z.number(),
  completion_ratio: z.number(),
});
type ShownServiceTier = z.infer<typeof shownServiceTier>;

export function showServiceTier(tier: ServiceTier, factors: TierFactors): ShownServiceTier {
  const { ratio, cache, completion } = factors;
  return {
    tier,
    ratio: Number(ratio),
    cache_ratio: Number(cache),
    completion_ratio: Number(completion),
  };
}

/** Returns the service tiers of a model that have factors. */
export function showServiceTiers(factors: ServiceTierFactors): ShownServiceTier[] {
  return serviceTier.options.flatMap((tier) => {
    const own = factors[tier];
    return own === undefined ? [] : [showServiceTier(tier, own)];
  });
}

/** One model's price before the ratio of a group. Numbers are for display; `charge.ts` is exact. */
const pricingRow = z.object({
  model_name: z.string(),
  quota_type: quotaType,
  /** Quota units per input token; 0 when charged by call, as is `completion_ratio`. */
  model_ratio: z.number(),
  /** US dollars per call; 0 when charged by tokens. */
  model_price: z.number(),
  /** The vendor's name; always empty. */
  owner_by: z.string(),
  completion_ratio: z.number(),
  /** Prices of other kinds of tokens, as in the options of the same names. */
  cache_ratio: setRatio,
  create_cache_ratio: setRatio,
  create_cache_ratio_1h: setRatio,
  image_ratio: setRatio,
  audio_ratio: setRatio,
  audio_completion_ratio: setRatio,
  /** What the ratios are multiplied by for prompts of more than `above` tokens; absent: nothing. */
  long_context: shownLongContext.optional(),
  /** What the ratios are multiplied by in service tiers; absent: all cost the same. */
  service_tiers: z.array(shownServiceTier).optional(),
  /** The hours with a price of their own, in UTC, as option `HourPrices` has them; absent: none. */
  hour_prices: hourPrices.valueType.optional(),
  /** Fees in dollars per 1,000, as option `SearchPrices` has them; absent: none. */
  search_prices: searchPrices.valueType.optional(),
  /** Quota units per token of a kind, as option `TokenKindPrices` has them; absent: by ratios. */
  kind_prices: tokenKindPrices.valueType.optional(),
  /**
   * The groups in which the model can be called, among those of `usable_group`, which the answer
   * lists beside `data`.
   */
  enable_groups: z.array(z.string()),
});
export type PricingRow = z.infer<typeof pricingRow>;

/**
 * Lists every model that is enabled in a group and has a price, with the groups the caller may use.
 */
export const listPricing = endpoint({
  method: "GET",
  path: "/api/pricing",
  access: "public",
  input: z.object({}),
  output: z.array(pricingRow),
  extras: z.object({
    group_ratio: z.record(z.string(), z.number()),
    /** Maps each group that the caller may use to its description. */
    usable_group: z.record(z.string(), z.string()),
    /**
     * Models that have an enabled channel for the caller's groups but no price, so their calls are
     * refused.
     */
    unpriced: z.array(pricingRow.pick({ model_name: true, enable_groups: true })),
  }),
});
