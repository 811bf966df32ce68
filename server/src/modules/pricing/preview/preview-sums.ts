/** The sums of a preview, by model, group and user, and how those of its steps are added up. */

import {
  type KeptReason,
  previewMostMax,
  type PreviewResult,
  type PreviewRow,
  previewRowsMax,
  type PreviewSums,
} from "@tollgate/contract/endpoints/price-previews.ts";

type Call = {
  readonly before: number;
  readonly after: number;
  readonly isKept: boolean;
  /** Null: not known. */
  readonly cost: number | null;
};

type Sums = { -readonly [Name in keyof PreviewSums]: PreviewSums[Name] };

export type KeyedSums<Key> = Map<Key, Sums>;
type KeptSums = ReadonlyMap<KeptReason, readonly [calls: number, quota: number]>;

/** What one step returns, in a form that crosses threads. */
export type StepSums = {
  readonly models: KeyedSums<string>;
  readonly groups: KeyedSums<string>;
  readonly users: KeyedSums<number>;
  readonly kept: KeptSums;
};

function noSums(): Sums {
  return {
    calls: 0,
    before: 0,
    after: 0,
    kept: 0,
    cost: 0,
    costed_calls: 0,
    costed_before: 0,
    costed_after: 0,
  };
}

// Safe cast: these are the names of the object.
const names = Object.keys(noSums()) as readonly (keyof Sums)[];

/** Adds a call to the sums of its key. */
export function addTo<Key>(sums: KeyedSums<Key>, key: Key, call: Call): void {
  const of = sums.get(key) ?? noSums();
  of.calls += 1;
  of.before += call.before;
  of.after += call.after;
  if (call.isKept) of.kept += 1;
  if (call.cost !== null) {
    of.cost += call.cost;
    of.costed_calls += 1;
    of.costed_before += call.before;
    of.costed_after += call.after;
  }
  sums.set(key, of);
}

function merge<Key>(sums: KeyedSums<Key>, more: KeyedSums<Key>): void {
  for (const [key, each] of more) {
    const of = sums.get(key) ?? noSums();
    for (const name of names) of[name] += each[name];
    sums.set(key, of);
  }
}

/** The sums of all steps so far. */
type PreviewTotals = {
  add(step: StepSums): void;
  /** The users whose names the result needs. */
  userIds(): readonly number[];
  result(userNames: ReadonlyMap<number, string>): PreviewResult;
};

/** Opens sums of nothing, to which those of steps are added. */
export function openTotals(): PreviewTotals {
  const models: KeyedSums<string> = new Map();
  const groups: KeyedSums<string> = new Map();
  const users: KeyedSums<number> = new Map();
  const kept = new Map<KeptReason, readonly [calls: number, quota: number]>();
  const shownUsers = () => [...largest(users), ...mostMore(users)];
  return {
    add(step) {
      merge(models, step.models);
      merge(groups, step.groups);
      merge(users, step.users);
      for (const [reason, [calls, quota]] of step.kept) {
        const [before, sum] = kept.get(reason) ?? [0, 0];
        kept.set(reason, [before + calls, sum + quota]);
      }
    },
    userIds: () => [...new Set(shownUsers().map(([id]) => id))],
    result(userNames) {
      const named = ([name, sums]: readonly [string, Sums]): PreviewRow => ({
        ...sums,
        id: 0,
        name,
      });
      const person = ([id, sums]: readonly [number, Sums]): PreviewRow => ({
        ...sums,
        id,
        name: userNames.get(id) ?? "",
      });
      const totals = noSums();
      for (const sums of groups.values()) for (const name of names) totals[name] += sums[name];
      return {
        totals,
        models: { total: models.size, items: largest(models).map(named) },
        groups: { total: groups.size, items: largest(groups).map(named) },
        users: { total: users.size, items: largest(users).map(person) },
        most: mostMore(users).map(person),
        kept: [...kept].map(([reason, [calls, quota]]) => ({ reason, calls, quota })),
      };
    },
  };
}

/** Returns the rows with the largest differences, and of equal ones those with the larger charges. */
function largest<Key extends number | string>(sums: KeyedSums<Key>): (readonly [Key, Sums])[] {
  const size = ({ before, after }: Sums): number => Math.abs(after - before);
  return [...sums]
    .toSorted(
      ([a, one], [b, other]) =>
        size(other) - size(one) || other.before - one.before || (a < b ? -1 : 1),
    )
    .slice(0, previewRowsMax);
}

/** Returns the users who would pay more, the one who would pay most more first. */
function mostMore(users: KeyedSums<number>): (readonly [number, Sums])[] {
  return [...users]
    .filter(([, { before, after }]) => after > before)
    .toSorted(
      ([a, one], [b, other]) => other.after - other.before - (one.after - one.before) || a - b,
    )
    .slice(0, previewMostMax);
}
