/**
 * The computation of a call's charge, with its real numbers. The result is computed by the same
 * function that charged the call. If it differs from the charge in the log, the formula shows the
 * difference instead of hiding it.
 */

import {
  type Bucket,
  charge,
  type ChargedUsage,
  type PriceList,
  priceOfUsage,
  type UnitPrice,
  unitPrice,
} from "@tollgate/contract/charge.ts";
import { decimalPlacesMax, scaled } from "@tollgate/contract/decimals.ts";
import type { LongStep } from "@tollgate/contract/price-terms.ts";
import {
  longContextOf,
  ratePlaces,
  rateScale,
  serviceTiersOf,
  stepsOf,
} from "@tollgate/contract/token-price.ts";
import type { Formula, FormulaTerm } from "./BillingFormula.tsx";

/** The kinds of tokens in the order in which a bill lists them. */
const buckets: readonly Bucket[] = [
  "input",
  "cacheRead",
  "cacheWrite5m",
  "cacheWrite1h",
  "inputImage",
  "inputAudio",
  "output",
  "reasoning",
  "outputImage",
  "outputAudio",
];

/** A charge, and what it was computed from. */
type ChargeParts = {
  readonly model: string;
  readonly group: string;
  readonly usage: ChargedUsage;
  readonly prices: PriceList;
  /** Quota units that were charged. */
  readonly charged: number;
  readonly writeOff: number;
  /** Whether usage and prices are those that the server stored with the charge. */
  readonly isKept: boolean;
};

/** Makes the formula of a charge; null if the model has no price. */
export function chargeFormula(parts: ChargeParts): Formula | null {
  const { model, group, usage, prices, charged, writeOff, isKept } = parts;
  const listed = unitPrice(prices, model, group);
  if (listed === undefined) return null;
  const price = priceOfUsage(listed, usage);
  const sum = { charged, writeOff, due: charge(listed, usage), isKept };
  const groupRatio = prices.GroupRatio[group] ?? "1";
  if (price.kind === "call") {
    const used = usage.task !== undefined || buckets.some((bucket) => usage[bucket] > 0);
    const times = timesOf(price, usage);
    const product = times.reduce((amount, factor) => amount * scaled(factor), price.perCall);
    return {
      ...sum,
      kind: "call",
      groupRatio,
      dollars: prices.ModelPrice[model] ?? "0",
      quotaPerUnit: prices.QuotaPerUnit,
      times,
      exact: used ? showScaled(product, ratePlaces + times.length * decimalPlacesMax) : "0",
    };
  }
  const factors = factorsOf(parts);
  const terms = buckets
    .filter((bucket) => usage[bucket] > 0)
    .map((bucket): FormulaTerm => {
      const rate = price.rates[bucket];
      return {
        bucket,
        count: usage[bucket],
        factor: factors(bucket),
        perMillion: perMillion(rate, prices.QuotaPerUnit),
        quota: showScaled(BigInt(usage[bucket]) * rate, ratePlaces),
      };
    });
  const exact = buckets.reduce(
    (total, name) => total + BigInt(usage[name]) * price.rates[name],
    0n,
  );
  return {
    ...sum,
    kind: "tokens",
    groupRatio,
    modelRatio: prices.ModelRatio[model] ?? "0",
    long: longStepOf(parts),
    tier: tierOf(parts),
    terms,
    exact: showScaled(exact, ratePlaces),
  };
}

/** Returns the step of long prompts that the call reached; undefined: none. */
function longStepOf({ prices, model, usage }: ChargeParts): LongStep | undefined {
  const long = longContextOf(prices, model);
  return long && stepsOf(long).findLast(({ above }) => inputOf(usage) > above);
}

function inputOf(usage: ChargedUsage): number {
  const { input, cacheRead, cacheWrite5m, cacheWrite1h, inputAudio, inputImage } = usage;
  return input + cacheRead + cacheWrite5m + cacheWrite1h + inputAudio + inputImage;
}

/** Returns the factors of the call's service tier; undefined: it has none. */
function tierOf({ prices, model, usage: { tier: name } }: ChargeParts) {
  const factors = name === undefined ? undefined : serviceTiersOf(prices, model)?.[name];
  return name === undefined || factors === undefined ? undefined : { name, ...factors };
}

/** Returns what the price of a call is multiplied by: several or large pictures, or what a task makes. */
function timesOf(
  { task: factors }: Extract<UnitPrice, { kind: "call" }>,
  { callThousandths = 1_000, task }: ChargedUsage,
): string[] {
  if (task === undefined) return [showScaled(BigInt(callThousandths), 3)];
  const { per = "call", modes = {}, sizes = {} } = factors ?? {};
  const of = (map: Readonly<Record<string, string>>, name: string): string =>
    (Object.hasOwn(map, name) ? map[name] : undefined) ?? "1";
  const seconds = per === "second" ? task.seconds : 1;
  return [String(seconds), String(task.count), of(modes, task.mode), of(sizes, task.size)];
}

/**
 * Returns a function that gives the price of each kind of token relative to an input token of a
 * short prompt in the default service tier. It works for free models, too, because it does not depend on their ratio of 0.
 */
function factorsOf({ prices, model, group, usage }: ChargeParts): (bucket: Bucket) => string {
  const plain = { ...prices, ModelRatio: { [model]: "1" }, GroupRatio: { [group]: "1" } };
  const listed = unitPrice(plain, model, group);
  const price = listed === undefined ? undefined : priceOfUsage(listed, usage);
  return (bucket) => (price?.kind === "tokens" ? showScaled(price.rates[bucket], ratePlaces) : "1");
}

/** Converts a rate to US dollars per million tokens, rounded to twelve decimal places. */
function perMillion(rate: bigint, quotaPerUnit: string): string {
  const unit = scaled(quotaPerUnit);
  if (unit === 0n) return "0";
  const places = 10n ** BigInt(decimalPlacesMax);
  const dollars = (rate * 1_000_000n * places * places * 2n) / (unit * rateScale);
  return showScaled((dollars + 1n) / 2n, decimalPlacesMax);
}

/** Writes an integer that counts units of 10^−`places` as decimal text without trailing zeros. */
function showScaled(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, "0");
  const part = digits.slice(-places).replace(/0+$/, "");
  return digits.slice(0, -places) + (part === "" ? "" : `.${part}`);
}
