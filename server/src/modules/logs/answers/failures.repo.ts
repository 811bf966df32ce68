/** Groups the calls that failed, or whose answers broke off, by how they ended. */

import {
  failureChannelsMax,
  type FailureGroup,
  failureGroupsMax,
} from "@tollgate/contract/endpoints/log-answers.ts";
import { sql, type SqlBool } from "kysely";
import type { Db } from "#db/database.ts";
import { endingsOf, type LogFilter, matching } from "#modules/logs/log-filter.repo.ts";
import { isSummed, sumRowsMax } from "#modules/logs/log-sums.repo.ts";
import type { ChartTime } from "./bars.ts";
import { namesOf } from "./names.repo.ts";
import { boundFilter } from "./newest-tagged.repo.ts";
import { divide, isFailedEnding, timeOf } from "./sums.repo.ts";

/** The calls of one user at one channel that ended alike. */
type Row = Pick<FailureGroup, "calls" | "ending" | "first_at" | "last_at"> & {
  readonly user_id: number;
  readonly channel_id: number;
  readonly last_id: number;
};

type Group = Omit<FailureGroup, "channels" | "example" | "users"> & {
  readonly users: Set<number>;
  /** The calls of each channel. */
  readonly channels: Map<number, number>;
  last_id: number;
};

/** Reads the groups of a filter, the one with the newest call first. */
export async function readFailures(db: Db, given: LogFilter, now: number): Promise<FailureGroup[]> {
  const filter = await boundFilter(db, given);
  const time = filter === null ? null : await timeOf(db, filter, now);
  if (filter === null || time === null) return [];
  const { whole, ends } = divide(time, { step: 0 }, isSummed(filter));
  const rows: Row[] = [];
  for (const end of ends) rows.push(...(await readRows(db, filter, end)));
  if (whole !== null) rows.push(...(await readHours(db, filter, whole)));
  const groups = joined(rows)
    .toSorted((a, b) => b.last_at - a.last_at || (a.ending < b.ending ? -1 : 1))
    .slice(0, failureGroupsMax);
  return await withExamples(db, groups);
}

function joined(rows: readonly Row[]): Group[] {
  const groups = new Map<string, Group>();
  for (const { ending, user_id, channel_id, calls, first_at, last_at, last_id } of rows) {
    const known = groups.get(ending);
    if (known === undefined) {
      const group = { ending, calls, first_at, last_at, last_id };
      const channels = new Map([[channel_id, calls]]);
      groups.set(ending, { ...group, users: new Set([user_id]), channels });
      continue;
    }
    known.channels.set(channel_id, (known.channels.get(channel_id) ?? 0) + calls);
    known.calls += calls;
    known.first_at = Math.min(known.first_at, first_at);
    known.last_at = Math.max(known.last_at, last_at);
    known.last_id = Math.max(known.last_id, last_id);
    known.users.add(user_id);
  }
  return [...groups.values()];
}

async function readHours(db: Db, filter: LogFilter, { start, end }: ChartTime): Promise<Row[]> {
  return await endingsOf(db, filter)
    .where("hour", ">=", start)
    .where("hour", "<", end)
    .where("calls", ">", 0)
    .$if(filter.type === 2, (query) => query.where(sql<SqlBool>`not ${isFailedEnding}`))
    .$if(filter.type === 5, (query) => query.where(isFailedEnding))
    .$if(![0, 2, 5].includes(filter.type), (query) => query.where(sql<SqlBool>`1 = 0`))
    .select(["ending", "user_id", "channel_id"])
    .select(({ fn }) => [
      fn.sum<number>("calls").as("calls"),
      fn.min("first_at").as("first_at"),
      fn.max("last_at").as("last_at"),
      fn.max("last_id").as("last_id"),
    ])
    .groupBy(["ending", "user_id", "channel_id"])
    .execute();
}

async function readRows(db: Db, filter: LogFilter, { start, end }: ChartTime): Promise<Row[]> {
  const rows = matching(db, { ...filter, start, end: end - 1 })
    .where(sql<SqlBool>`ending <> ''`)
    .where("reversed", "=", 0)
    .select(["id", "ending", "user_id", "channel as channel_id", "created_at"])
    .orderBy("created_at", "desc")
    .limit(sumRowsMax);
  return await db
    .selectFrom(rows.as("ended"))
    .select(["ending", "user_id", "channel_id"])
    .select(({ fn }) => [
      fn.countAll<number>().as("calls"),
      fn.min("created_at").as("first_at"),
      fn.max("created_at").as("last_at"),
      fn.max("id").as("last_id"),
    ])
    .groupBy(["ending", "user_id", "channel_id"])
    .execute();
}

/** The channels with most calls; 0 stands for calls that were tried at none. */
function mostOf(channels: ReadonlyMap<number, number>): readonly (readonly [number, number])[] {
  return [...channels]
    .filter(([id]) => id > 0)
    .toSorted(([a, one], [b, other]) => other - one || a - b)
    .slice(0, failureChannelsMax);
}

async function withExamples(db: Db, groups: readonly Group[]): Promise<FailureGroup[]> {
  if (groups.length === 0) return [];
  const rows = await db
    .selectFrom("logs")
    .select(["id", "request_id", "model_name", "content"])
    .where(
      "id",
      "in",
      groups.map(({ last_id }) => last_id),
    )
    .execute();
  const examples = new Map(rows.map((row) => [row.id, row]));
  const names = await namesOf(db, "channel", [
    ...new Set(groups.flatMap(({ channels }) => mostOf(channels).map(([id]) => id))),
  ]);
  return groups.map(({ users, last_id, channels, ...group }) => ({
    ...group,
    users: users.size,
    channels: mostOf(channels).map(([id, calls]) => ({ id, name: names.get(id) ?? "", calls })),
    example: examples.get(last_id) ?? null,
  }));
}
