/**
 * Writes the prices of `@pydantic/genai-prices` as a file of the product's own form, with what the
 * product bills and nothing else: `node scripts/prices/price-catalogue.mjs`. A test compares the file with
 * what this makes of the installed package. `modules/pricing/catalogue/` reads it.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { calcPrice, findProvider } from "@pydantic/genai-prices";

/** The day on which npm published version 0.1.8 of the package. Change both together. */
const published = { version: "0.1.8", date: "2026-09-23" };

export const catalogueFile = join(
  import.meta.dirname,
  "../..",
  "server/src/modules/pricing/catalogue/genai-prices.json",
);

/** The kinds of tokens by the package's names. */
const kinds = {
  input_mtok: "input",
  cache_read_mtok: "cacheRead",
  cache_write_mtok: "cacheWrite5m",
  cache_write_1h_mtok: "cacheWrite1h",
  input_audio_mtok: "inputAudio",
  input_image_mtok: "inputImage",
  cache_audio_read_mtok: "cacheAudio",
  cache_image_read_mtok: "cacheImage",
  output_mtok: "output",
  output_reasoning_mtok: "reasoning",
  output_audio_mtok: "outputAudio",
  output_image_mtok: "outputImage",
};

/** Prices per 1,000 by the package's names. */
const searches = { requests_kcount: "call", web_searches_kcount: "search" };

/**
 * @typedef {number | { base: number, tiers: { start: number, price: number }[] }} Price
 * @typedef {Record<string, Price | undefined>} Prices
 * @typedef {{ type: string, start_date?: string, start_time?: string, end_time?: string }} Constraint
 * @typedef {{ constraint?: Constraint, prices: Prices }} Conditional
 */

/**
 * Writes a price as decimal text of at most 11 places, half of which has at most 12, as quota units
 * need. A few prices of the package are results of floating point, such as 0.18000000000000002 and
 * 0.08333333333333334 (a twelfth): those lose what is beyond, less than a dollar in 10^17 tokens.
 *
 * @param {number} price
 */
function decimal(price) {
  const text = price.toFixed(11).replace(/\.?0+$/, "");
  if (Math.abs(Number(text) - price) > 5e-12) throw new Error(`no decimal: ${price}`);
  return text;
}

/** @param {Prices} prices @param {(price: Price) => number} pick */
function tokensOf(prices, pick) {
  return Object.fromEntries(
    Object.entries(kinds).flatMap(([from, to]) => {
      const price = prices[from];
      return price === undefined ? [] : [[to, decimal(pick(price))]];
    }),
  );
}

/** @param {Price} price */
const base = (price) => (typeof price === "number" ? price : price.base);

/** @param {Prices} prices */
function bookOf(prices) {
  const starts = Object.values(prices).flatMap((price) =>
    typeof price === "object" ? price.tiers.map(({ start }) => start) : [],
  );
  const steps = [...new Set(starts)]
    .toSorted((a, b) => a - b)
    .map((above) => ({
      above,
      tokens: tokensOf(prices, (price) =>
        typeof price === "number"
          ? price
          : (price.tiers.findLast(({ start }) => start <= above)?.price ?? price.base),
      ),
    }));
  const paid = Object.entries(searches).flatMap(([from, to]) => {
    const price = prices[from];
    return price === undefined ? [] : [[to, decimal(base(price))]];
  });
  return {
    tokens: tokensOf(prices, base),
    ...(steps.length > 0 ? { steps } : {}),
    ...(paid.length > 0 ? { searches: Object.fromEntries(paid) } : {}),
  };
}

/** What the package prices and the product does not bill. @param {Prices} prices */
function unbilledOf(prices) {
  return Object.keys(prices).filter((name) => !(name in kinds) && !(name in searches));
}

/**
 * The prices by the day from which they are in force, without those that were over when the package
 * was published. Those of hours of the day hold with each of them.
 *
 * @param {Conditional[] | Prices} given
 */
function datedOf(given) {
  /** @type {Conditional[]} */
  const all = Array.isArray(given) ? given : [{ prices: given }];
  const days = all.filter(({ constraint }) => constraint?.start_time === undefined);
  const over = days.findLastIndex(
    ({ constraint }) => (constraint?.start_date ?? "") <= published.date,
  );
  const hours = all.flatMap(({ constraint, prices }) =>
    constraint?.start_time === undefined || constraint.end_time === undefined
      ? []
      : [
          {
            from: constraint.start_time.slice(0, 5),
            until: constraint.end_time.slice(0, 5),
            tokens: tokensOf(prices, base),
          },
        ],
  );
  return days.slice(Math.max(over, 0)).map(({ constraint, prices }) => ({
    ...(constraint?.start_date === undefined ? {} : { from: constraint.start_date }),
    ...bookOf(prices),
    ...(hours.length > 0 ? { hours } : {}),
  }));
}

/**
 * The names that the package's rule of an entry writes out, as far as the package itself finds that
 * entry by them. What its rules match by beginnings and parts of names is not taken over.
 *
 * @param {string} providerId @param {import("@pydantic/genai-prices").ModelInfo} model
 */
function namesOf(providerId, model) {
  /** @type {string[]} */
  const names = [model.id];
  /** @param {any} rule */
  const collect = (rule) => {
    for (const [kind, value] of Object.entries(rule)) {
      if (Array.isArray(value)) value.forEach(collect);
      else if (["equals", "starts_with", "contains"].includes(kind)) names.push(value);
    }
  };
  collect(model.match);
  const own = new Set(names.map((name) => name.toLowerCase().replace(/@$/, "")));
  const found = [...own].filter((name) => {
    if (/[-.:/]$/.test(name)) return false;
    // Other kinds of tokens cost otherwise, whatever the package says: `gpt-4o-audio-preview` is not
    // `gpt-4o`.
    if (otherKinds.some((kind) => name.includes(kind) && !model.id.includes(kind))) return false;
    const priced = calcPrice({ input_tokens: 1 }, name, { providerId });
    return priced?.provider.id === providerId && priced.model.id === model.id;
  });
  // Bedrock's newer addresses leave out the version, `-1:0`, which no other model has.
  const bare = model.id.toLowerCase().replace(/-v?\d:\d$/, "");
  const isNamed = providerId !== "aws" || bare.startsWith("regional.") || found.includes(bare);
  return isNamed ? found : [...found, bare];
}

const otherKinds = ["audio", "embed", "image", "live", "realtime", "transcribe", "tts", "video"];

/** Ids of all providers of the package, which it does not list. */
function providerIds() {
  const file = createRequire(import.meta.url).resolve("@pydantic/genai-prices");
  // In the built file, only the entries of providers are indented so.
  const text = readFileSync(join(file, "../index.js"), "utf8");
  return [...text.matchAll(/^ {4}id: "([^"]+)"/gm)].map(([, id]) => String(id));
}

/** Returns the file's text: a line for each provider and entry. */
export function priceCatalogue() {
  const manifest = createRequire(import.meta.url).resolve("@pydantic/genai-prices");
  const { version } = JSON.parse(readFileSync(join(manifest, "../../package.json"), "utf8"));
  if (version !== published.version) throw new Error("the date of the package is not known");
  const providers = providerIds().map((providerId) => {
    const provider = findProvider({ providerId });
    if (provider === undefined) throw new Error(`no provider ${providerId}`);
    return provider;
  });
  const entries = providers.flatMap((provider) =>
    provider.models.flatMap((model) => {
      const given = /** @type {Conditional[] | Prices} */ (model.prices);
      const all = Array.isArray(given) ? given : [{ prices: given }];
      const unbilled = [...new Set(all.flatMap(({ prices }) => unbilledOf(prices)))];
      const isFree = model.id.endsWith(":free") && all.every(({ prices }) => isEmpty(prices));
      const dated = isFree ? [{ tokens: { input: "0" } }] : datedOf(given);
      // What is charged by the hour or the page has no price that the product could charge.
      if (dated.some(({ tokens }) => !("input" in tokens))) return [];
      const names = namesOf(provider.id, model);
      if (names.length === 0) return [];
      return [
        {
          provider: provider.id,
          entry: model.id,
          names,
          ...(model.name === undefined ? {} : { name: model.name }),
          ...(model.context_window === undefined ? {} : { context: model.context_window }),
          ...(model.deprecated === true ? { deprecated: true } : {}),
          ...(unbilled.length > 0 ? { unbilled } : {}),
          prices: dated,
        },
      ];
    }),
  );
  const lines = (/** @type {object[]} */ list) =>
    list.map((each) => JSON.stringify(each)).join(",\n");
  const listed = providers.map(({ id, name, pricing_urls, fallback_model_providers }) => ({
    id,
    name,
    ...(pricing_urls?.[0] === undefined ? {} : { source: pricing_urls[0] }),
    ...(fallback_model_providers === undefined ? {} : { vendors: fallback_model_providers }),
  }));
  return `{
"date": "${published.date}",
"source": "@pydantic/genai-prices ${published.version}",
"providers": [
${lines(listed)}
],
"entries": [
${lines(entries)}
]
}
`;
}

/** @param {object} prices */
function isEmpty(prices) {
  return Object.keys(prices).length === 0;
}

const isStarted = process.argv[1] === fileURLToPath(import.meta.url);
if (isStarted) writeFileSync(catalogueFile, priceCatalogue());
