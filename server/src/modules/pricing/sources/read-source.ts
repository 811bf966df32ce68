/** Reads a published list of prices. Runs beside the database, because a list may be long. */

import type { SourceKind } from "@tollgate/contract/endpoints/price-sources.ts";
import { catalogueReader } from "#modules/pricing/catalogue/open-catalogue.ts";
import { gatherCatalogue } from "./catalogue.ts";
import { sourceReaders } from "./registry.ts";
import type { Gathered } from "./source-entries.ts";

/** The longest list that is read, in bytes. */
export const listBytesMax = 20_000_000;

export type AskedList = {
  readonly kind: SourceKind;
  /** The list as it came; null: the catalogue that this program uses. */
  readonly list: Uint8Array | string | null;
  /** The file that replaces the built-in catalogue as long as it is there. */
  readonly catalogueFile: string;
  /** As `YYYY-MM-DD`. */
  readonly day: string;
};

/** The entries of a list, or in a sentence why it cannot be read. */
type ReadList =
  | ({ readonly ok: true } & Readonly<Gathered>)
  | { readonly ok: false; readonly message: string };

/** Reads a list: each line that is wrong is refused by itself. */
export async function readList({ kind, list, catalogueFile, day }: AskedList): Promise<ReadList> {
  const to: Gathered = { entries: [], faults: [], faultCount: 0 };
  if (list === null) {
    // A file that cannot be read is told of where the catalogue is used.
    gatherCatalogue(await catalogueReader(catalogueFile, { error: () => {} })(), to, day);
    return { ok: true, ...to };
  }
  if (list.length > listBytesMax) return { ok: false, message: "列表过大，最多 20 MB" };
  const text = typeof list === "string" ? list : decode(list);
  if (text === undefined) return { ok: false, message: "列表不是 UTF-8 文本" };
  if (text.trim() === "") return { ok: false, message: "列表是空的" };
  const message = sourceReaders[kind](text, to, day);
  return message === null ? { ok: true, ...to } : { ok: false, message };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
