/** What a model costs, line by line, in the words of the console: the price book's prices. */

import type { BookBucket, BookPrices, TokenDollars } from "@tollgate/contract/money/price-book.ts";
import { bookBuckets } from "@tollgate/contract/money/price-book.ts";
import type { T } from "#i18n/t.ts";

type BookLine = { readonly name: string; readonly text: string };

/** Writes a decimal amount of dollars: `$2.50`, `$0.000075`. */
function dollarText(decimal: string): string {
  const [whole = "0", part = ""] = decimal.split(".");
  return `$${whole.replace(/\B(?=(\d{3})+$)/g, ",")}.${part.padEnd(2, "0")}`;
}

/** Returns a line for each price that is set, in the order in which the charge adds them up. */
export function bookLines(prices: BookPrices, t: T): BookLine[] {
  const { perCall, tokens = {}, steps = [], tiers = {}, hours = [], searches = {} } = prices;
  if (perCall !== undefined) {
    return [{ name: t("priceBook.perCall"), text: dollarText(perCall) }];
  }
  const feeNames = {
    call: t("priceBook.feeCall"),
    search: t("priceBook.feeSearch"),
    searchingCall: t("priceBook.feeSearchingCall"),
  };
  return [
    ...tokenLines(tokens, t),
    ...steps.flatMap((step) =>
      within(t("priceBook.above", { above: step.above.toLocaleString("en-US") }), step.tokens, t),
    ),
    ...Object.entries(tiers).flatMap(([tier, varied]) =>
      within(t("priceBook.tier", { tier }), varied, t),
    ),
    ...hours.flatMap(({ from, until, tokens: varied }) =>
      within(t("priceBook.hours", { from, until }), varied, t),
    ),
    ...(["call", "search", "searchingCall"] as const).flatMap((fee): BookLine[] => {
      const dollars = searches[fee];
      return dollars === undefined ? [] : [{ name: feeNames[fee], text: dollarText(dollars) }];
    }),
  ];
}

/** Writes input and output price of a token, or the price of a call, in short form. */
export function briefBook(prices: BookPrices, t: T): string {
  const { perCall, tokens = {} } = prices;
  if (perCall !== undefined) return t("priceBook.eachCall", { price: dollarText(perCall) });
  const [input, output] = [tokens.input, tokens.output ?? tokens.input].map((dollars) =>
    dollars === undefined ? "–" : dollarText(dollars),
  );
  return isFree(prices) ? t("priceBook.free") : `${input} → ${output}`;
}

/** Whether nothing of what the model does costs anything. */
function isFree({ tokens = {}, searches = {} }: BookPrices): boolean {
  return [...Object.values(tokens), ...Object.values(searches)].every((dollars = "") =>
    /^[0.]*$/.test(dollars),
  );
}

function within(where: string, tokens: TokenDollars, t: T): BookLine[] {
  return tokenLines(tokens, t).map(({ name, text }) => ({ name: `${name} ${where}`, text }));
}

function tokenLines(tokens: TokenDollars, t: T): BookLine[] {
  return bookBuckets.flatMap((bucket): BookLine[] => {
    const dollars = tokens[bucket];
    return dollars === undefined
      ? []
      : [{ name: bucketName(bucket, t), text: dollarText(dollars) }];
  });
}

function bucketName(bucket: BookBucket, t: T): string {
  const names: Readonly<Record<BookBucket, string>> = {
    input: t("priceBook.input"),
    cacheRead: t("priceBook.cacheRead"),
    cacheWrite5m: t("priceBook.cacheWrite5m"),
    cacheWrite1h: t("priceBook.cacheWrite1h"),
    inputAudio: t("priceBook.inputAudio"),
    inputImage: t("priceBook.inputImage"),
    cacheAudio: t("priceBook.cacheAudio"),
    cacheImage: t("priceBook.cacheImage"),
    output: t("priceBook.output"),
    reasoning: t("priceBook.reasoning"),
    outputAudio: t("priceBook.outputAudio"),
    outputImage: t("priceBook.outputImage"),
  };
  return names[bucket];
}
