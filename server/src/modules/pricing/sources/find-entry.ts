/** Finds a model in a published list: by its whole name, at its own vendor or at the ones asked for. */

import { brandOfModel } from "@tollgate/contract/words/brands.ts";
import type { SourceEntry } from "./source-entries.ts";

/** Entries by their names in lower case, with and without a vendor's name before them. */
type EntryIndex = ReadonlyMap<string, readonly SourceEntry[]>;

export function indexEntries(entries: readonly SourceEntry[]): EntryIndex {
  const index = new Map<string, SourceEntry[]>();
  for (const entry of entries) {
    for (const name of namesOf(entry.entry)) {
      const same = index.get(name);
      if (same === undefined) index.set(name, [entry]);
      else same.push(entry);
    }
  }
  return index;
}

/** Other names of vendors, by the ids of brands. */
const brandOfVendor: Readonly<Record<string, string>> = {
  "meta-llama": "meta",
  dashscope: "alibaba",
  gemini: "google",
  mistralai: "mistral",
  moonshotai: "moonshot",
  qwen: "alibaba",
  vertex_ai: "google",
  voyageai: "voyage",
  "x-ai": "xai",
  "z-ai": "zhipu",
  zai: "zhipu",
  zhipuai: "zhipu",
};

/**
 * Finds the entry of a model. Where several vendors sell it, that of the first vendor asked for
 * counts, else that of the model's own vendor; of resellers alone nothing is taken.
 * @param vendors those asked for; empty: each model's own.
 */
export function findEntry(
  index: EntryIndex,
  model: string,
  vendors: readonly string[],
): SourceEntry | undefined {
  const brand = brandOfModel(model)?.id ?? "";
  for (const name of namesOf(model)) {
    const found = index.get(name) ?? [];
    if (vendors.length === 0) {
      const own = found.find((of) => of.vendor === "" || brandOf(of.vendor) === brand);
      if (own !== undefined) return own;
      continue;
    }
    for (const vendor of vendors) {
      const asked = brandOf(vendor);
      const own = found.find((of) => asked === (of.vendor === "" ? brand : brandOf(of.vendor)));
      if (own !== undefined) return own;
    }
  }
  return undefined;
}

function brandOf(vendor: string): string {
  const name = vendor.trim().toLowerCase();
  return Object.hasOwn(brandOfVendor, name) ? (brandOfVendor[name] ?? name) : name;
}

/** A name in lower case, and what follows its vendor: `openai/gpt-5` is also `gpt-5`. */
function namesOf(model: string): string[] {
  const name = model.trim().toLowerCase();
  const slash = name.indexOf("/");
  return slash < 0 ? [name] : [name, name.slice(slash + 1)];
}
