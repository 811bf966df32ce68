/**
 * The computation of a call's charge, with its real numbers. The result is computed by the same
 * function that charged the call. If it differs from the charge in the log, the formula shows the
 * difference instead of hiding it.
 */

import {
  charge,
  type ChargedUsage,
  partsOf,
  type PriceList,
  priceOfUsage,
  searchSum,
  type UnitPrice,
  unitPrice,
} from "@tollgate/contract/money/charge.ts";
import { decimalPlacesMax, scaled } from "@tollgate/contract/money/decimals.ts";
import {
  type HourWindow,
  type LongStep,
  minuteOfTime,
} from "@tollgate/contract/money/price-terms.ts";
import {
  hoursOf as hourWindowsOf,
  isInHours,
  isOwnPrice,
  longContextOf,
  ratePlaces,
  type RateName,
  rateScale,
  searchPricesOf,
  serviceTiersOf,
  stepsOf,
} from "@tollgate/contract/money/token-price.ts";
import type { Formula, FormulaExtra, FormulaTerm } from "./BillingFormula.tsx";

/** The kinds of tokens in the order in which a bill lists them. */
const order: readonly RateName[] = [
  "input",
  "cacheRead",
  "cacheAudio",
  "cacheImage",
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
    const used = usage.task !== undefined || partsOf(usage).length > 0;
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
  const used = partsOf(usage).toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b));
  const terms = used.map(([bucket, count]): FormulaTerm => {
    const rate = price.rates[bucket];
    return {
      bucket,
      count,
      isOwn: isOwnPrice(prices, model, bucket),
      factor: factors(bucket),
      perMillion: perMillion(rate, prices.QuotaPerUnit),
      quota: showScaled(BigInt(count) * rate, ratePlaces),
    };
  });
  const tokens = used.reduce((sum, [name, count]) => sum + BigInt(count) * price.rates[name], 0n);
  const extras = used.length === 0 ? [] : extrasOf(parts);
  const beside =
    price.searching === null || used.length === 0
      ? 0n
      : searchSum(price.searching, usage.searches ?? 0);
  return {
    ...sum,
    kind: "tokens",
    groupRatio,
    modelRatio: prices.ModelRatio[model] ?? "0",
    long: longStepOf(parts),
    tier: tierOf(parts),
    hours: hoursOf(parts),
    terms,
    extras,
    exact: showScaled(tokens + beside, ratePlaces),
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

/** Returns the hours by whose price the call was charged; undefined: by none. */
function hoursOf({ prices, model, usage: { minute } }: ChargeParts): HourWindow | undefined {
  if (minute === undefined) return undefined;
  return hourWindowsOf(prices, model)?.find(({ from, until }) =>
    isInHours({ from: minuteOfTime(from), until: minuteOfTime(until) }, minute),
  );
}

/** Returns what was charged beside the tokens. */
function extrasOf({ prices, model, usage: { searches = 0 } }: ChargeParts): FormulaExtra[] {
  const { call, search, searchingCall } = searchPricesOf(prices, model) ?? {};
  const all: readonly (readonly [FormulaExtra["kind"], number, string | undefined])[] = [
    ["call", 1, call],
    ["search", searches, search],
    ["searchingCall", Math.min(1, searches), searchingCall],
  ];
  const thousandth = scaled(prices.QuotaPerUnit);
  return all.flatMap(([kind, count, dollars]) =>
    dollars === undefined || count === 0
      ? []
      : [
          {
            kind,
            count,
            dollars,
            each: showScaled(scaled(dollars) * thousandth, 2 * decimalPlacesMax + 3),
          },
        ],
  );
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
 * short prompt in the default service tier, or of a kind with a price of its own that price. It works for free models, too, because it does not depend on their ratio of 0.
 */
function factorsOf({ prices, model, group, usage }: ChargeParts): (bucket: RateName) => string {
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
