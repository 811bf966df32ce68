/** Reads a newer release of the catalogue of prices, in the form of `price-catalogue.json`. */

import { type CatalogueEntry, catalogueFile } from "#modules/pricing/catalogue/catalogue-file.ts";
import { type Catalogue, openCatalogue } from "#modules/pricing/catalogue/catalogue.ts";
import { z } from "zod";
import {
  entriesMax,
  type Gathered,
  gather,
  notList,
  readJson,
  refuse,
  type SourceReader,
  tooManyEntries,
} from "./source-entries.ts";

/** A file whose entries are not checked yet, so that a wrong one is refused by itself. */
const uncheckedFile = catalogueFile.extend({ entries: z.array(z.unknown()) });
const checkedEntry = catalogueFile.shape.entries.element;

/** Reads the whole file, with the prices that are in force on the day. */
export const readCatalogueFile: SourceReader = (text, to, day) => {
  const file = uncheckedFile.safeParse(readJson(text));
  if (!file.success) return notList;
  if (file.data.entries.length > entriesMax) return tooManyEntries;
  const entries: CatalogueEntry[] = [];
  for (const [at, sent] of file.data.entries.entries()) {
    const entry = checkedEntry.safeParse(sent);
    if (entry.success) entries.push(entry.data);
    else refuse(to, `#${at + 1}`, "价格类型无法识别");
  }
  gatherCatalogue(openCatalogue([{ ...file.data, entries }]), to, day);
  return null;
};

/** Takes every entry of a catalogue. */
export function gatherCatalogue(catalogue: Catalogue, to: Gathered, day: string): void {
  for (const { provider, entry, prices, date } of catalogue.list(day)) {
    gather(to, `${provider}/${entry}`, { entry, vendor: provider, prices, date });
  }
}
