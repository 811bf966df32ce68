/**
 * The command `tollgate prices`: shows the prices in force, compares them with a file or with the
 * catalogue, and saves those. Whoever may write the database may change prices, so it asks for
 * nothing else. It works beside a running gateway, which notices new prices within a second.
 */

import { existsSync, readFileSync } from "node:fs";
import type { PriceList } from "@tollgate/contract/money/charge.ts";
import { type BookPrices, readBook, sourceOf } from "@tollgate/contract/money/price-book.ts";
import { writePriceBook } from "@tollgate/contract/money/price-book-writer.ts";
import { writePriceCsv } from "@tollgate/contract/money/price-csv.ts";
import type { PriceSource } from "@tollgate/contract/money/price-sources.ts";
import { type DatabaseAddress, openDatabase } from "#db/connection.ts";
import type { Db } from "#db/database.ts";
import { requireSchema } from "#db/migrator.ts";
import { systemActor } from "#modules/audit/audit.ts";
import type { ReadCatalogue } from "#modules/pricing/catalogue/open-catalogue.ts";
import { dayOf } from "#modules/pricing/price-changes.ts";
import { type BookSave, savePriceBook } from "#modules/pricing/pricing.store.ts";
import { findPrices, parsePrices } from "#modules/pricing/pricing.ts";
import type { Transport } from "#network/transport.ts";
import { pricedModels, readPriceFile, writePriceJson } from "./price-file.ts";
import { showPreview } from "./preview-lines.ts";
import type { PricesArguments } from "./prices-arguments.ts";
import { runSync } from "./sync-command.ts";

type PricesDeps = {
  readonly catalogue: ReadCatalogue;
  /** The file that replaces the built-in catalogue as long as it is there. */
  readonly catalogueFile: string;
  readonly openTransport: () => Promise<Transport>;
  /** Prints a line of what was asked for. */
  readonly print: (line: string) => void;
  /** Tells the operator something besides. */
  readonly tell: (line: string) => void;
  readonly nowMs: number;
};

/** Runs the command. @returns the exit code. */
export async function runPrices(
  address: DatabaseAddress,
  asked: PricesArguments,
  deps: PricesDeps,
): Promise<number> {
  if (address.dialect === "sqlite" && !existsSync(address.file)) {
    deps.tell(`There is no database at ${address.file}. Set TOLLGATE_DATA_DIR to the data folder.`);
    return 1;
  }
  const writes = asked.verb === "apply" || asked.verb === "sync";
  const { db, dialect, close } = openDatabase(address, writes ? "writer" : "reader");
  try {
    await requireSchema(db, dialect);
    const row = await findPrices(db);
    const list = row === undefined ? undefined : parsePrices(row)?.list;
    if (list === undefined) {
      deps.tell("There are no prices yet. Start the gateway once.");
      return 1;
    }
    if (asked.verb === "sync") {
      return await runSync(db, asked, { ...deps, transport: await deps.openTransport() });
    }
    if (asked.verb === "list") return await showList(list, deps);
    if (asked.verb === "export") {
      const text = asked.form === "csv" ? writePriceCsv(list) : writePriceJson(list);
      deps.print(text.replace(/\r?\n$/, ""));
      return 0;
    }
    const books = await booksOf(asked.file, list, deps);
    if (books === null) return 1;
    if (asked.verb === "apply") return await save(db, books, deps);
    const code = showDiff(list, books, deps);
    if (asked.preview !== null) {
      await showPreview(db, { list: writeBooks(list, books).list, days: asked.preview }, deps);
    }
    return code;
  } finally {
    await close();
  }
}

async function showList(list: PriceList, { catalogue, print, tell }: PricesDeps): Promise<number> {
  const { facts } = await catalogue();
  for (const model of pricedModels(list)) {
    const source = sourceOf(list, model);
    const from = source === undefined ? "" : `${source.from} ${source.date}`;
    print([model, shortly(readBook(list, model)), from].filter((part) => part !== "").join("  "));
  }
  tell(`The catalogue has prices of ${facts.date} (${facts.source}).`);
  return 0;
}

/** Writes a price in a line: US dollars per call, or per million tokens by their kind. */
function shortly(prices: BookPrices | undefined): string {
  if (prices === undefined) return "no price";
  const { perCall, tokens = {}, ...terms } = prices;
  if (perCall !== undefined) return `${perCall} a call`;
  const kinds = Object.entries(tokens).map(([kind, dollars]) => `${kind} ${dollars}`);
  const others = Object.entries(terms).map(([term, of]) => `${term} ${JSON.stringify(of)}`);
  return [...kinds, ...others].join(", ");
}

/** Reads the prices to compare or save; null: they cannot be read, which was told. */
async function booksOf(
  file: string | null,
  list: PriceList,
  { catalogue, tell, nowMs }: PricesDeps,
): Promise<BookSave[] | null> {
  const day = dayOf(nowMs);
  if (file === null) {
    const known = await catalogue();
    return pricedModels(list).flatMap((model) => {
      const { from, provider = "", entry = "" } = sourceOf(list, model) ?? {};
      const found = from === "catalogue" ? known.find(provider, entry, day) : undefined;
      if (found === undefined) return [];
      const source: PriceSource = { from: "catalogue", date: found.date, provider, entry };
      return [{ model, prices: found.prices, source }];
    });
  }
  if (!existsSync(file)) {
    tell(`There is no file ${file}.`);
    return null;
  }
  const read = readPriceFile(readFileSync(file, "utf8"));
  if (!read.ok) {
    for (const fault of read.faults) tell(`${file}: ${fault}`);
    return null;
  }
  const source: PriceSource = { from: "file", date: day };
  return [...read.prices].map(([model, prices]) => ({ model, prices, source }));
}

function writeBooks(list: PriceList, books: readonly BookSave[]) {
  return writePriceBook(
    list,
    books.map(({ model, prices }) => [model, prices]),
  );
}

/** Shows which prices would change; models that are not named keep theirs. */
function showDiff(list: PriceList, books: readonly BookSave[], deps: PricesDeps): number {
  const { list: after, refused } = writeBooks(list, books);
  let changed = 0;
  for (const { model } of books) {
    const [old, now] = [shortly(readBook(list, model)), shortly(readBook(after, model))];
    if (old === now) continue;
    changed += 1;
    deps.print(`${model}: ${old} → ${now}`);
  }
  for (const [model, reason] of refused) deps.tell(`${model}: ${reason}`);
  deps.tell(`${changed} of ${books.length} prices would change.`);
  return refused.size === 0 ? 0 : 1;
}

async function save(
  db: Db,
  books: readonly BookSave[],
  { tell, nowMs }: PricesDeps,
): Promise<number> {
  const saved = await db
    .transaction()
    .execute(async (tx) => await savePriceBook(tx, { books, actor: systemActor, nowMs }));
  for (const { model, reason } of saved.refused) tell(`${model}: ${reason}`);
  tell(`${books.length - saved.refused.length} prices are saved, in version ${saved.version}.`);
  return saved.refused.length === 0 ? 0 : 1;
}
