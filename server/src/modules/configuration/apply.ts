/** Compares a document with what is there, and applies it in one transaction. */

import type {
  ConfigurationDocument,
  ConfigurationFault,
  ConfigurationPlan,
} from "@tollgate/contract/endpoints/configuration.ts";
import { Refusal } from "#base/refusal.ts";
import type { StoreCall } from "#db/store.ts";
import type { Installation } from "#modules/installation/installation.ts";
import {
  asFields,
  type By,
  type ConfiguredChannels,
  type ConfiguredKeys,
  type ConfiguredOptions,
  type ConfiguredPrices,
  type ConfiguredUsers,
  type Entry,
  type Planned,
  type PlannedCall,
} from "./configuration.ts";
import type { ConfigurationStore } from "./configuration.store.ts";
import { planUsers } from "./plan-users.ts";
import { readSections, type Sections, usableGroups } from "./sections.ts";

export type Parts = {
  readonly channels: ConfiguredChannels;
  readonly installation: Installation;
  readonly keys: ConfiguredKeys;
  readonly options: ConfiguredOptions;
  readonly prices: ConfiguredPrices;
  readonly users: ConfiguredUsers;
};

export type ApplyDeps = Parts & {
  readonly store: ConfigurationStore;
  /** Runs writes of several stores in one transaction. */
  readonly together: (calls: readonly StoreCall[]) => Promise<unknown[]>;
  readonly applyChanges: () => Promise<void>;
};

export type ConfigurationRequest = {
  readonly document: ConfigurationDocument;
  readonly prune: boolean;
};

/** Plans everything that makes the installation what the document says. */
export async function planDocument(
  parts: Parts,
  asked: ConfigurationRequest,
  by: By,
): Promise<Planned> {
  const sections = readSections(asked.document);
  const { groups, models, channels, users } = sections;
  const { prune } = asked;
  const prices = await parts.prices.plan({ groups, models, prune }, by);
  const named = await groupsAfter(parts, sections, prune);
  const described = await withDescriptions(parts, sections, named);
  const present = await parts.options.read();
  const reset = prune
    ? sections.covered.filter((name) => described.has(name) !== true && present.get(name)?.isSet)
    : [];
  const options = await parts.options.plan(described, reset, by);
  const planned = [options, prices];
  if (channels !== null) {
    planned.push(await parts.channels.plan(channels, { prune, groups: named }, by));
  }
  if (users !== null) {
    const wish = described.get("QuotaForNewUser")?.value ?? present.get("QuotaForNewUser")?.text;
    const around = { groups: named, quota: Number(wish ?? 0) };
    planned.push(await planUsers(parts, users, around, by));
  }
  return {
    changes: planned.flatMap((one) => one.changes),
    faults: [...sections.faults, ...planned.flatMap((one) => one.faults)],
    calls: planned.flatMap((one) => one.calls),
    wanted: planned.flatMap((one) => one.wanted),
  };
}

/** The groups that there will be. */
async function groupsAfter(
  { prices }: Parts,
  { groups }: Sections,
  prune: boolean,
): Promise<ReadonlySet<string>> {
  const present = [...(await prices.readGroups()).keys()];
  const kept = prune && groups !== null ? present.filter((name) => groups.has(name)) : present;
  return new Set([...kept, ...(groups?.keys() ?? [])]);
}

/** Adds the descriptions of groups, which are an option: whoever has one may be chosen by users. */
async function withDescriptions(
  { options }: Parts,
  { options: named, groups }: Sections,
  after: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map(named ?? []);
  if (groups === null) return entries;
  const text = (await options.read()).get(usableGroups)?.text ?? "{}";
  const usable = new Map<string, unknown>(Object.entries(JSON.parse(text)));
  for (const name of usable.keys()) if (!after.has(name)) usable.delete(name);
  let isGiven = false;
  for (const [name, { value }] of groups) {
    const description = asFields(value)?.["description"];
    if (description === undefined) continue;
    isGiven = true;
    if (description === null) usable.delete(name);
    else usable.set(name, description);
  }
  const isPruned = usable.size !== Object.keys(JSON.parse(text)).length;
  if (isGiven || isPruned) {
    entries.set(usableGroups, { value: Object.fromEntries(usable), path: ["groups"] });
  }
  return entries;
}

/** How often a document is planned anew because something else has changed meanwhile. */
const triesMax = 5;

/** How many transactions a document needs: API keys of new users come after their users. */
const roundsMax = 2;

/**
 * Makes the installation what the document says, or changes nothing if there is a fault.
 *
 * @param allow is asked before anything is changed, and throws a `Refusal` to prevent it.
 */
export async function applyDocument(
  deps: ApplyDeps,
  asked: ConfigurationRequest & { readonly source: string },
  by: By,
  allow: (planned: Planned) => Promise<void>,
): Promise<ConfigurationPlan> {
  let first: ConfigurationPlan | undefined;
  for (let round = 0; round < roundsMax; round += 1) {
    const done = await applyOnce(deps, asked, by, allow, round > 0);
    first ??= done;
    if (done.faults.length > 0 || !done.changes.some(({ kind }) => kind === "user")) break;
  }
  return first ?? { changes: [], faults: [] };
}

async function applyOnce(
  deps: ApplyDeps,
  asked: ConfigurationRequest & { readonly source: string },
  by: By,
  allow: (planned: Planned) => Promise<void>,
  isLater: boolean,
): Promise<ConfigurationPlan> {
  for (let tries = 1; ; tries += 1) {
    const { version } = await deps.store.readClock();
    const planned = await planDocument(deps, asked, by);
    const plan = { changes: [...planned.changes], faults: [...planned.faults] };
    if (plan.faults.length > 0) return plan;
    await allow(planned);
    const owning = isLater ? [] : await ownership(deps.store, planned, asked.source, by);
    const calls: PlannedCall[] = [...planned.calls, ...owning];
    if (calls.length === 0) return plan;
    const seen = { noun: "configuration", name: "requireVersion", input: [version] };
    try {
      await run(deps, [seen, ...calls]);
      return plan;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const isStale = error.code === "stale" && tries < triesMax;
      if (!isStale) return { ...plan, faults: [general(error)] };
    }
  }
}

function general({ message }: Refusal): ConfigurationFault {
  return { path: [], message };
}

async function run(deps: ApplyDeps, calls: readonly PlannedCall[]): Promise<void> {
  const results = await deps.together(
    calls.map(({ noun, name, input }) => ({ noun, name, input })),
  );
  calls.forEach(({ done }, at) => done?.(results[at]));
  await deps.applyChanges();
}

/** Notes what the document owns, unless that is noted already. */
async function ownership(
  store: ConfigurationStore,
  { wanted, changes }: Planned,
  source: string,
  { actor, nowMs }: By,
): Promise<PlannedCall[]> {
  const things = wanted
    .map(({ kind, name, fields }) => ({ kind, name, fields: JSON.stringify(fields) }))
    .toSorted((a, b) => compareText(a.kind, b.kind) || compareText(a.name, b.name));
  const noted = (await store.listOwned())
    .map(({ kind, name, fields }) => ({ kind, name, fields }))
    .toSorted((a, b) => compareText(a.kind, b.kind) || compareText(a.name, b.name));
  if (JSON.stringify(things) === JSON.stringify(noted)) return [];
  const input = [{ things, source, changed: changes.length, actor, nowMs }];
  return [{ noun: "configuration", name: "replaceOwned", input }];
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
