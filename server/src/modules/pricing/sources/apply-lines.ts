/** Writes lines of a draft into a price list: those whose price is still what the draft says. */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import type { DraftLine } from "@tollgate/contract/endpoints/price-sources.ts";
import { type BookPrices, readBook } from "@tollgate/contract/money/price-book.ts";
import { writePriceBook } from "@tollgate/contract/money/price-book-writer.ts";
import type { PriceSource } from "@tollgate/contract/money/price-sources.ts";
import { fieldsOfBook, textOfBook, wholePrice, withField } from "./book-fields.ts";

type AppliedLines = {
  readonly list: PriceList;
  /** What models would cost. */
  readonly books: ReadonlyMap<string, BookPrices>;
  /** Why a line is not in the list, by its number. */
  readonly refused: ReadonlyMap<number, string>;
};

const stale = "该价格在此期间已更改，请重新同步";

/**
 * Returns the list with the lines. All lines of a model are written, or none.
 * @param by the user who accepted them; 0: nobody did by hand.
 */
export function applyLines(list: PriceList, lines: readonly DraftLine[], by: number): AppliedLines {
  const refused = new Map<number, string>();
  const books = new Map<string, BookPrices>();
  const sources: Record<string, PriceSource> = {};
  for (const [model, own] of byModel(lines)) {
    const book = readBook(list, model);
    const fresh = own.filter((line) => valueIn(book, line.field) === line.now);
    for (const line of own) if (!fresh.includes(line)) refused.set(line.line, stale);
    const [first] = fresh;
    if (first === undefined) continue;
    let made: BookPrices | undefined = book ?? {};
    for (const { field, proposed } of fresh) {
      made = made === undefined ? undefined : withField(made, field, proposed);
    }
    if (made === undefined) {
      for (const { line } of fresh) refused.set(line, "价格类型无法识别");
      continue;
    }
    books.set(model, made);
    sources[model] = sourceOfLine(first, by);
  }
  const written = writePriceBook(list, books);
  for (const [model, message] of written.refused) {
    for (const { line } of lines.filter((of) => of.model === model)) refused.set(line, message);
    books.delete(model);
    delete sources[model];
  }
  return {
    list: { ...written.list, Sources: { ...list.Sources, ...sources } },
    books,
    refused,
  };
}

function byModel(lines: readonly DraftLine[]): ReadonlyMap<string, readonly DraftLine[]> {
  return Map.groupBy(lines, ({ model }) => model);
}

function valueIn(book: BookPrices | undefined, field: string): string | null {
  if (book === undefined) return null;
  if (field === wholePrice) return textOfBook(book);
  return fieldsOfBook(book).get(field) ?? null;
}

/** The longest names that a price keeps of its source. */
const vendorMax = 100;
const entryMax = 300;

function sourceOfLine({ date, vendor, entry }: DraftLine, by: number): PriceSource {
  return {
    from: "sync",
    date,
    ...(vendor === "" ? {} : { provider: vendor.slice(0, vendorMax) }),
    entry: entry.slice(0, entryMax),
    ...(by === 0 ? {} : { by }),
  };
}
