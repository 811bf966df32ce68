/** The fields of a price, one by one: a line of a draft changes one of them. */

import {
  type BookBucket,
  bookBuckets,
  type BookPrices,
  bookPrices,
} from "@tollgate/contract/money/price-book.ts";
import { readJson } from "./source-entries.ts";

/** Terms of a price that are one field each, as JSON. */
const terms = ["steps", "tiers", "hours"] as const;

const fees = ["call", "search", "searchingCall"] as const;

/** The field that stands for the whole price. */
export const wholePrice = "all";

/** Returns the fields that a price has, as texts. */
export function fieldsOfBook(book: BookPrices): Map<string, string> {
  const fields = new Map<string, string>();
  if (book.perCall !== undefined) fields.set("perCall", book.perCall);
  for (const bucket of bookBuckets) {
    const dollars = book.tokens?.[bucket];
    if (dollars !== undefined) fields.set(bucket, dollars);
  }
  for (const term of terms) {
    if (book[term] !== undefined) fields.set(term, textOfTerm(book[term]));
  }
  for (const fee of fees) {
    const dollars = book.searches?.[fee];
    if (dollars !== undefined) fields.set(`searches.${fee}`, dollars);
  }
  return fields;
}

/** Writes a whole price as a text; equal prices are equal texts. */
export function textOfBook(book: BookPrices): string {
  return textOfTerm(book);
}

/** Returns a price in which one field is another; undefined: there is no such field, or value. */
export function withField(book: BookPrices, field: string, text: string): BookPrices | undefined {
  if (field === wholePrice) return parsed(readJson(text));
  if (field === "perCall") return { ...book, perCall: text };
  const bucket = bookBuckets.find((name): name is BookBucket => name === field);
  if (bucket !== undefined) return { ...book, tokens: { ...book.tokens, [bucket]: text } };
  const fee = fees.find((name) => field === `searches.${name}`);
  if (fee !== undefined) return { ...book, searches: { ...book.searches, [fee]: text } };
  const term = terms.find((name) => name === field);
  if (term === undefined) return undefined;
  return parsed({ ...book, [term]: readJson(text) });
}

function parsed(value: unknown): BookPrices | undefined {
  return bookPrices.safeParse(value).data;
}

/** Writes a value as JSON whose names are sorted. */
function textOfTerm(value: unknown): string {
  return JSON.stringify(value, (_, of: unknown) =>
    typeof of === "object" && of !== null && !Array.isArray(of)
      ? Object.fromEntries(Object.entries(of).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : of,
  );
}
