/** Prices of models and ratios of groups as a document of configuration names them. */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import type {
  ConfigurationChange,
  ConfigurationFault,
} from "@tollgate/contract/endpoints/configuration.ts";
import { groupName } from "@tollgate/contract/endpoints/groups.ts";
import { parseOption } from "@tollgate/contract/options/options.ts";
import { type BookPrices, bookPrices, readBook } from "@tollgate/contract/money/price-book.ts";
import { writePriceBook } from "@tollgate/contract/money/price-book-writer.ts";
import type { BookedPrices } from "@tollgate/contract/endpoints/price-versions.ts";
import { modelNameMax, nameRule, reservedNames } from "@tollgate/contract/endpoints/prices.ts";
import { gatherWrites, type RemoteStore } from "#db/store.ts";
import {
  asFields,
  type AskedPrices,
  type By,
  compareFields,
  type ConfiguredPrices,
  type Entry,
  noFields,
  plainNumber,
  type Planned,
  type PlannedCall,
  type Present,
  removalOf,
  schemaFaults,
  unknownFields,
  type Wanted,
} from "#modules/configuration/configuration.ts";
import type { pricingStore } from "./pricing.store.ts";
import { parsePrices } from "./pricing.ts";

/** The field that a model's price is, and that of a group. */
const priceField = "price";
const ratioField = "ratio";

export function openConfiguredPrices(store: RemoteStore<typeof pricingStore>): ConfiguredPrices {
  const load = async (): Promise<PriceList> => {
    const list = parsePrices(await store.loadPrices())?.list;
    if (list === undefined) throw new Error("the price version in force cannot be read");
    return list;
  };

  return {
    async readModels(): Promise<Map<string, Present & { readonly prices: BookPrices }>> {
      const list = await load();
      const models = new Set([...Object.keys(list.ModelPrice), ...Object.keys(list.ModelRatio)]);
      const priced = [...models].toSorted().flatMap((model) => {
        const prices = readBook(list, model);
        return prices === undefined ? [] : [[model, { ...presentPrice(prices), prices }] as const];
      });
      return new Map(priced);
    },

    /** Returns the ratios of groups, which are those that exist. */
    async readGroups(): Promise<Map<string, Present>> {
      const { GroupRatio } = await load();
      const present = Object.entries(GroupRatio).map(
        ([group, ratio]) => [group, { id: 0, fields: { [ratioField]: ratio } }] as const,
      );
      return new Map(present);
    },

    /** Plans one price version, with all prices and ratios in it. */
    async plan(asked: AskedPrices, { actor, nowMs }: By): Promise<Planned> {
      const list = await load();
      const groups = planGroups(list, asked);
      const models = planModels(list, asked);
      const calls: PlannedCall[] = [];
      if (groups.changes.length + models.changes.length > 0) {
        const gathering = gatherWrites("pricing", store, ["savePriceChanges"], calls);
        await gathering.savePriceChanges({
          changes: {},
          books: models.books,
          groups: groups.changes.length === 0 ? undefined : groups.ratios,
          from: "file",
          reason: "",
          actor,
          nowMs,
        });
      }
      return {
        changes: [...groups.changes, ...models.changes],
        faults: [...groups.faults, ...models.faults],
        calls,
        wanted: [...groups.wanted, ...models.wanted],
      };
    },
  };
}

function presentPrice(prices: BookPrices): Present {
  return { id: 0, fields: { [priceField]: priceText(prices) } };
}

/** Writes a price so that equal prices are equal texts. */
function priceText(prices: BookPrices): string {
  return JSON.stringify(sorted(prices));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  const fields = asFields(value);
  if (fields === undefined) return value;
  const names = Object.keys(fields).filter((name) => fields[name] !== undefined);
  return Object.fromEntries(names.toSorted().map((name) => [name, sorted(fields[name])]));
}

type PlannedGroups = Omit<Planned, "calls"> & { readonly ratios: PriceList["GroupRatio"] };

function planGroups(list: PriceList, { groups, prune }: AskedPrices): PlannedGroups {
  const ratios: Record<string, string> = { ...list.GroupRatio };
  const faults: ConfigurationFault[] = [];
  const changes: ConfigurationChange[] = [];
  const wanted: Wanted[] = [];
  for (const [name, entry] of groups ?? []) {
    const read = readRatio(name, entry);
    if (!read.ok) {
      faults.push(...read.faults);
      continue;
    }
    const want: Wanted = { kind: "group", name, fields: { [ratioField]: read.ratio } };
    wanted.push(want);
    const present = list.GroupRatio[name];
    const change = compareFields(
      want,
      present === undefined ? undefined : { [ratioField]: present },
    );
    if (change !== undefined) changes.push(change);
    ratios[name] = read.ratio;
  }
  if (prune && groups !== null) {
    for (const name of Object.keys(list.GroupRatio).filter((one) => !groups.has(one))) {
      changes.push(removalOf("group", name, { [ratioField]: ratios[name] ?? "" }));
      delete ratios[name];
    }
  }
  const parsed = parseOption("GroupRatio", JSON.stringify(ratios));
  if (!parsed.ok) faults.push({ path: ["groups"], message: parsed.message });
  return { changes, faults, wanted, ratios };
}

type ReadRatio =
  | { readonly ok: true; readonly ratio: string }
  | { readonly ok: false; readonly faults: readonly ConfigurationFault[] };

function readRatio(name: string, entry: Entry): ReadRatio {
  const { path, value } = entry;
  const fields = asFields(value);
  if (fields === undefined) return { ok: false, faults: [{ path, message: noFields }] };
  const faults = unknownFields(entry, [ratioField, "description"]);
  const named = groupName.safeParse(name);
  if (!named.success) {
    return { ok: false, faults: [...faults, ...schemaFaults(path, named.error)] };
  }
  const sent = fields[ratioField] ?? 1;
  const text = typeof sent === "string" ? sent : plainNumber(Number(sent));
  const parsed = parseOption("GroupRatio", JSON.stringify({ default: "1", [name]: text }));
  const ratio = parsed.ok ? parsed.value[name] : undefined;
  if (!parsed.ok) faults.push({ path: [...path, ratioField], message: parsed.message });
  if (faults.length > 0 || ratio === undefined) return { ok: false, faults };
  return { ok: true, ratio };
}

type PlannedModels = Omit<Planned, "calls"> & { readonly books: BookedPrices };

function planModels(list: PriceList, { models, prune }: AskedPrices): PlannedModels {
  const faults: ConfigurationFault[] = [];
  const asked = new Map<string, { readonly entry: Entry; readonly prices: BookPrices }>();
  for (const [model, entry] of models ?? []) {
    const read = readPrices(model, entry);
    if (read.ok) asked.set(model, { entry, prices: read.prices });
    else faults.push(...read.faults);
  }
  const books = [...asked].map(([model, { prices }]) => [model, prices] as const);
  const { list: written, refused } = writePriceBook(list, books);
  for (const [model, message] of refused) {
    faults.push({ path: asked.get(model)?.entry.path ?? [], message });
  }
  const wanted: Wanted[] = [];
  const changes: ConfigurationChange[] = [];
  const saved: BookedPrices = [];
  for (const [model, { prices }] of asked) {
    // As the price list says it, so that two ways to write one price are no change.
    const after = readBook(written, model) ?? prices;
    const want: Wanted = { kind: "model", name: model, fields: { [priceField]: priceText(after) } };
    wanted.push(want);
    const before = readBook(list, model);
    const change = compareFields(
      want,
      before === undefined ? undefined : presentPrice(before).fields,
    );
    if (change === undefined) continue;
    changes.push(change);
    saved.push({ model, prices });
  }
  if (prune && models !== null) {
    const priced = new Set([...Object.keys(list.ModelPrice), ...Object.keys(list.ModelRatio)]);
    for (const model of [...priced].filter((name) => !models.has(name)).toSorted()) {
      const before = readBook(list, model);
      if (before === undefined) continue;
      changes.push(removalOf("model", model, presentPrice(before).fields));
      saved.push({ model, prices: null });
    }
  }
  return { changes, faults, wanted, books: saved };
}

type ReadPrices =
  | { readonly ok: true; readonly prices: BookPrices }
  | { readonly ok: false; readonly faults: readonly ConfigurationFault[] };

function readPrices(model: string, { value, path }: Entry): ReadPrices {
  if (asFields(value) === undefined) {
    return { ok: false, faults: [{ path, message: noFields }] };
  }
  if (model.trim() !== model || model === "" || reservedNames.has(model)) {
    return { ok: false, faults: [{ path, message: nameRule }] };
  }
  if (model.length > modelNameMax) {
    const message = `模型名称过长: ${model.slice(0, 40)}`;
    return { ok: false, faults: [{ path, message }] };
  }
  const given = withDecimals(value, "");
  const parsed = bookPrices.safeParse(given);
  if (!parsed.success) return { ok: false, faults: schemaFaults(path, parsed.error) };
  const faults = leftOut(path, given, parsed.data);
  return faults.length > 0 ? { ok: false, faults } : { ok: true, prices: parsed.data };
}

/** Writes numbers as decimals, but for numbers of tokens. */
function withDecimals(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withDecimals(one, name));
  const fields = asFields(value);
  if (fields !== undefined) {
    const entries = Object.entries(fields).map(([key, of]) => [key, withDecimals(of, key)]);
    return Object.fromEntries(entries);
  }
  return typeof value === "number" && name !== "above" ? plainNumber(value) : value;
}

/** Names the fields that the schema of prices has dropped, because it does not know them. */
function leftOut(path: readonly string[], given: unknown, read: unknown): ConfigurationFault[] {
  if (Array.isArray(given) && Array.isArray(read)) {
    return given.flatMap((one, at) => leftOut([...path, String(at)], one, read[at]));
  }
  const before = asFields(given);
  const after = asFields(read);
  if (before === undefined || after === undefined) return [];
  return Object.entries(before).flatMap(([name, of]) =>
    Object.hasOwn(after, name)
      ? leftOut([...path, name], of, after[name])
      : [{ path: [...path, name], message: `未知的字段：${name}` }],
  );
}
