/** Lists the values of a filter of the log with their counts among what the other filters match. */

import {
  facetValuesMax,
  type LogFacet,
  type LogFacetValues,
} from "@tollgate/contract/endpoints/log-answers.ts";
import { readEnding } from "@tollgate/contract/logs/endings.ts";
import type { Db } from "#db/database.ts";
import type { LogFilter } from "#modules/logs/log-filter.repo.ts";
import { idsNamed, namesOf } from "./names.repo.ts";
import { boundFilter } from "./newest-tagged.repo.ts";
import { readRuns } from "./runs.repo.ts";
import { type Part, type Sum, sumBy, timeOf } from "./sums.repo.ts";
import { readTagValues } from "./tag-values.repo.ts";

/** The facets that roll-ups, or one column of the rows, have. */
type SummedFacet = Exclude<LogFacet, "conversation" | "tag">;

type FacetAsked = {
  readonly facet: LogFacet;
  /** The beginning of the values; empty: all. */
  readonly prefix: string;
  /** Unix seconds. */
  readonly now: number;
};

type Value = { readonly value: string; readonly calls: number; readonly quota: number };

/** Reads the values of a facet; its own filter is left out, so that another value can be chosen. */
export async function readFacet(
  db: Db,
  given: LogFilter,
  { facet, prefix, now }: FacetAsked,
): Promise<LogFacetValues> {
  const filter = await boundFilter(db, without(given, facet));
  const time = filter === null ? null : await timeOf(db, filter, now);
  if (filter === null || time === null) return { values: [], more: 0 };
  if (facet === "tag") return await readTagValues(db, filter, time, prefix);
  if (facet === "conversation") return await readRuns(db, filter, time, prefix);
  const part = partOf(facet);
  const { sums } = await sumBy(db, filter, time, { part, step: 0, keep: null, now });
  const values = valuesOf(facet, sums);
  const found = prefix === "" ? values : await beginning(db, facet, values, prefix);
  const sorted = found
    .filter(({ calls }) => calls > 0)
    .toSorted((a, b) => b.calls - a.calls || (a.value < b.value ? -1 : 1));
  const shown = sorted.slice(0, facetValuesMax);
  return { values: await withNames(db, facet, shown), more: sorted.length - shown.length };
}

function partOf(facet: SummedFacet): Part {
  return facet === "reason" || facet === "status" || facet === "finish" ? "ending" : facet;
}

function without(filter: LogFilter, facet: LogFacet): LogFilter {
  switch (facet) {
    case "channel":
      return { ...filter, channel: 0, channelName: "" };
    case "conversation":
      return { ...filter, conversationId: 0 };
    case "finish":
    case "reason":
    case "status":
      return { ...filter, ending: "" };
    case "group":
      return { ...filter, group: "" };
    case "model":
      return { ...filter, modelName: "" };
    case "tag":
      return { ...filter, tag: "" };
    case "token":
      return { ...filter, tokenId: 0, tokenName: "" };
    case "user":
      return { ...filter, username: "" };
  }
}

function valuesOf(facet: SummedFacet, sums: readonly Sum[]): readonly Value[] {
  const values = new Map<string, { value: string; calls: number; quota: number }>();
  const add = (value: string, calls: number, quota: number): void => {
    const known = values.get(value) ?? { value, calls: 0, quota: 0 };
    known.calls += calls;
    known.quota += quota;
    values.set(value, known);
  };
  for (const { key, calls, failures, quota, broken } of sums) {
    const text = String(key ?? "");
    if (partOf(facet) !== "ending") {
      add(text, calls + failures, quota);
      continue;
    }
    const { finish, status } = readEnding(text);
    if (facet === "reason") add(text, failures + broken, 0);
    else if (facet === "status") add(String(status), calls + failures, quota);
    else {
      add(finish, calls + failures + broken, quota);
      // The charged calls are all counted without an ending, see `Sum`.
      if (broken > 0) add("complete", -broken, 0);
    }
  }
  if (facet === "reason") values.delete("");
  return [...values.values()];
}

/** Finds the values that begin so: those of ids by their names, a reason by its code. */
async function beginning(
  db: Db,
  facet: LogFacet,
  values: readonly Value[],
  prefix: string,
): Promise<readonly Value[]> {
  if (facet === "channel" || facet === "token" || facet === "user") {
    const ids = new Set((await idsNamed(db, facet, prefix)).map(String));
    return values.filter(({ value }) => ids.has(value) || value === prefix);
  }
  const wanted = prefix.toLowerCase();
  return values.filter(({ value }) => {
    const texts = facet === "reason" ? [value, readEnding(value).code] : [value];
    return texts.some((text) => text.toLowerCase().startsWith(wanted));
  });
}

async function withNames(
  db: Db,
  facet: LogFacet,
  values: readonly Value[],
): Promise<LogFacetValues["values"]> {
  if (facet !== "channel" && facet !== "token" && facet !== "user") {
    return values.map((one) => ({ ...one, name: one.value }));
  }
  const ids = values.map(({ value }) => Number(value));
  const names = await namesOf(db, facet, ids);
  return values.map((one) => ({ ...one, name: names.get(Number(one.value)) ?? "" }));
}
