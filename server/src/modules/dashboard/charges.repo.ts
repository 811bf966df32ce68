/**
 * Sums of charges for the dashboard. They are read from the totals of whole days and hours, each from
 * the smallest table that has what is asked for, and only for hours that these lack from
 * `usage_hours`.
 */

import {
  type DashboardPart,
  type DashboardShare,
  type DashboardSums,
  shareMax,
} from "@tollgate/contract/endpoints/dashboard.ts";
import { daySeconds, hourSeconds } from "@tollgate/contract/fields/time-zone.ts";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { blockSeconds, coverageOf } from "#modules/logs/logs.ts";
import type { CallFilter, Span } from "./dashboard.repo.ts";

/** A part of a span, and the table that has its sums. */
type Part = Span & {
  readonly table: "caller_totals" | "model_totals" | "usage_hours" | "usage_totals";
  /** Seconds of a row's time. */
  readonly unit: number;
};

/** Whether sums over all users and tokens are asked for. */
function isOfTotals({ userId, username, tokenId }: CallFilter): boolean {
  return userId === null && username === "" && tokenId === 0;
}

type Reading = {
  readonly filter: CallFilter;
  readonly span: Span;
  /** Whether the hours of a UTC day may be summed as one. */
  readonly byDay: boolean;
};

/** Says where the sums of a span by channel, or by model, are. */
async function partsOf(
  db: Db,
  { filter, span, byDay }: Reading,
  by: "channel" | "model",
): Promise<Part[]> {
  const usageHours = { table: "usage_hours", unit: hourSeconds } as const;
  if (!isOfTotals(filter)) return [{ ...span, ...usageHours }];
  const { days, hours, rest } = await coverageOf(db, span);
  const isByModel = by === "model" && filter.channel === 0;
  const ofHours = {
    table: isByModel ? "model_totals" : "usage_totals",
    unit: hourSeconds,
  } as const;
  const ofDays = byDay ? ({ table: "usage_totals", unit: daySeconds } as const) : ofHours;
  return [
    ...days.map((part) => ({ ...part, ...ofDays })),
    ...hours.map((part) => ({ ...part, ...ofHours })),
    ...rest.map((part) => ({ ...part, ...usageHours })),
  ];
}

/** The largest number of parts that one statement reads; SQLite allows 500. */
const partsMax = 200;

/** Says where the sums of a span by user and token are. */
async function callerPartsOf(db: Db, filter: CallFilter, span: Span): Promise<Part[]> {
  const usageHours = { table: "usage_hours", unit: hourSeconds } as const;
  const { modelName, group, channel } = filter;
  const isNarrowed = modelName !== "" || group !== "" || channel !== 0;
  if (isNarrowed || !isOfTotals(filter)) return [{ ...span, ...usageHours }];
  const { days, hours, rest } = await coverageOf(db, span);
  const parts: Part[] = [...hours, ...rest].map((part) => ({ ...part, ...usageHours }));
  for (const { start, end } of days) {
    const first = Math.min(end, Math.ceil(start / blockSeconds) * blockSeconds);
    const last = Math.max(first, end - (end % blockSeconds));
    const callers = (from: number, to: number, unit: number): void => {
      if (from < to) parts.push({ start: from, end: to, table: "caller_totals", unit });
    };
    callers(start, first, daySeconds);
    callers(first, last, blockSeconds);
    callers(last, end, daySeconds);
  }
  return parts.length > partsMax ? [{ ...span, ...usageHours }] : parts;
}

/** The column with the time of a table's rows. */
function timeOf(table: Part["table"]): RawBuilder<number> {
  return table === "usage_hours" || table === "model_totals" ? sql`hour` : sql`start`;
}

/** Writes the table and the conditions of a part: `from … where …`. */
function chargesIn(filter: CallFilter, { start, end, table, unit }: Part): RawBuilder<unknown> {
  const { userId, username, tokenId, modelName, group, channel } = filter;
  const time = timeOf(table);
  const where = [sql`${time} >= ${start} and ${time} < ${end}`];
  if (table === "caller_totals" || table === "usage_totals") {
    where.push(sql`span = ${sql.lit(unit)}`);
  }
  if (userId !== null) where.push(sql`user_id = ${userId}`);
  if (username !== "") {
    where.push(sql`user_id = (select users.id from users where users.username = ${username})`);
  }
  if (tokenId !== 0) where.push(sql`token_id = ${tokenId}`);
  if (modelName !== "") where.push(sql`model_name = ${modelName}`);
  if (group !== "") where.push(sql`"group" = ${group}`);
  if (channel !== 0) where.push(sql`channel_id = ${channel}`);
  return sql`from ${sql.ref(table)} where ${sql.join(where, sql` and `)}`;
}

const summed = sql`coalesce(sum(quota), 0) as quota, coalesce(sum(request_count), 0) as calls,
  coalesce(sum(prompt_tokens), 0) as prompt_tokens,
  coalesce(sum(completion_tokens), 0) as completion_tokens`;

export const noSums: DashboardSums = {
  quota: 0,
  calls: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
};

export function added(sums: DashboardSums = noSums, more: DashboardSums): DashboardSums {
  return {
    quota: sums.quota + more.quota,
    calls: sums.calls + more.calls,
    prompt_tokens: sums.prompt_tokens + more.prompt_tokens,
    completion_tokens: sums.completion_tokens + more.completion_tokens,
  };
}

/** Sums of a model in one hour, or in the day that begins then. */
export type HourOfModel = DashboardSums & { readonly hour: number; readonly model_name: string };

/** Sums the charges by time and model. */
export async function sumByModel(db: Db, reading: Reading): Promise<HourOfModel[]> {
  const rows: HourOfModel[] = [];
  for (const part of await partsOf(db, reading, "model")) {
    const time = timeOf(part.table);
    const found = await sql<HourOfModel>`
      select ${time} as hour, model_name, ${summed} ${chargesIn(reading.filter, part)}
      group by ${time}, model_name
    `.execute(db);
    rows.push(...found.rows);
  }
  return rows;
}

/** Sums all charges of a span. */
export async function sumAll(db: Db, filter: CallFilter, span: Span): Promise<DashboardSums> {
  let whole = noSums;
  for (const part of await partsOf(db, { filter, span, byDay: true }, "model")) {
    const { rows } = await sql<DashboardSums>`
      select ${summed} ${chargesIn(filter, part)}
    `.execute(db);
    whole = rows.reduce(added, whole);
  }
  return whole;
}

type Sums = DashboardSums & { readonly id: number };

/** The largest parts of one kind, largest charge first, and how many parts there are. */
type Ranked = { readonly top: readonly Sums[]; readonly count: number };

/** Ranks the channels of a span. */
async function rankChannels(db: Db, filter: CallFilter, span: Span): Promise<Ranked> {
  const sums = new Map<number, Sums>();
  for (const part of await partsOf(db, { filter, span, byDay: true }, "channel")) {
    const { rows } = await sql<Sums>`
      select channel_id as id, ${summed} ${chargesIn(filter, part)} group by channel_id
    `.execute(db);
    for (const row of rows) sums.set(row.id, { id: row.id, ...added(sums.get(row.id), row) });
  }
  const sorted = [...sums.values()].toSorted((a, b) => b.quota - a.quota || a.id - b.id);
  return { top: sorted.slice(0, shareMax), count: sorted.length };
}

/** Ranks the users and the tokens of a span, in one pass. */
async function rankCallers(
  db: Db,
  filter: CallFilter,
  span: Span,
): Promise<{ readonly users: Ranked; readonly tokens: Ranked }> {
  const parts = (await callerPartsOf(db, filter, span)).map(
    (part) => sql`
      select user_id, token_id, quota, request_count, prompt_tokens, completion_tokens
      ${chargesIn(filter, part)}`,
  );
  const best = (kind: "of_tokens" | "of_users") => sql`
    select * from (
      select ${sql.lit(kind)} as kind, (select count(*) from ${sql.ref(kind)}) as count,
        id, quota, calls, prompt_tokens, completion_tokens
      from ${sql.ref(kind)} order by quota desc, id limit ${sql.lit(shareMax)}
    ) as ${sql.ref(`best_${kind}`)}`;
  const of = (column: "token_id" | "user_id") => sql`
    select ${sql.ref(column)} as id, sum(quota) as quota, sum(calls) as calls,
      sum(prompt_tokens) as prompt_tokens, sum(completion_tokens) as completion_tokens
    from callers group by ${sql.ref(column)}`;
  const { rows } = await sql<Sums & { readonly kind: string; readonly count: number }>`
    with callers as materialized (
      select user_id, token_id, ${summed} from (${sql.join(parts, sql` union all `)}) as parts
      group by user_id, token_id
    ),
    of_users as materialized (${of("user_id")}),
    of_tokens as materialized (${of("token_id")})
    ${best("of_users")} union all ${best("of_tokens")}
  `.execute(db);
  const ranked = (name: string): Ranked => {
    const top = rows
      .filter(({ kind }) => kind === name)
      .map(({ id, quota, calls, prompt_tokens, completion_tokens }) => ({
        id,
        quota,
        calls,
        prompt_tokens,
        completion_tokens,
      }))
      .toSorted((a, b) => b.quota - a.quota || a.id - b.id);
    return { top, count: rows.find(({ kind }) => kind === name)?.count ?? 0 };
  };
  return { users: ranked("of_users"), tokens: ranked("of_tokens") };
}

type Shares = {
  readonly tokens: DashboardShare;
  readonly users: DashboardShare | null;
  readonly channels: DashboardShare | null;
};

/**
 * Returns the shares of tokens, users and channels in the whole.
 * @param wide whether users and channels are asked for, too.
 */
export async function sharesOf(
  db: Db,
  input: {
    readonly filter: CallFilter;
    readonly span: Span;
    readonly whole: DashboardSums;
    readonly wide: boolean;
  },
): Promise<Shares> {
  const { filter, span, whole, wide } = input;
  const { users, tokens } = await rankCallers(db, filter, span);
  const share = async (kind: Kind, ranked: Ranked): Promise<DashboardShare> => {
    const names = await namesOf(
      db,
      kind,
      ranked.top.map(({ id }) => id),
    );
    const top = ranked.top.map((row) => ({ ...row, name: names.get(row.id) ?? "" }));
    return { top, rest: { ...lessOf(whole, top), count: ranked.count - top.length } };
  };
  return {
    tokens: await share("tokens", tokens),
    users: wide ? await share("users", users) : null,
    channels: wide ? await share("channels", await rankChannels(db, filter, span)) : null,
  };
}

export type Kind = "channels" | "tokens" | "users";

/** Finds the present names of channels, tokens or users. */
export async function namesOf(
  db: Db,
  kind: Kind,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0) return new Map();
  const rows =
    kind === "users"
      ? await db
          .selectFrom("users")
          .select(["id", "username as name"])
          .where("id", "in", ids)
          .execute()
      : await db.selectFrom(kind).select(["id", "name"]).where("id", "in", ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** What is left of a whole without some of its parts. */
function lessOf(whole: DashboardSums, parts: readonly DashboardSums[]): DashboardSums {
  const left = { ...whole };
  for (const row of parts) {
    left.quota -= row.quota;
    left.calls -= row.calls;
    left.prompt_tokens -= row.prompt_tokens;
    left.completion_tokens -= row.completion_tokens;
  }
  return left;
}

/** Makes the share of each model from sums that are already there. */
export function shareOfModels(
  parts: readonly Omit<DashboardPart, "id">[],
  whole: DashboardSums,
): DashboardShare {
  const sorted = parts.toSorted((a, b) => b.quota - a.quota || (a.name < b.name ? -1 : 1));
  const top = sorted.slice(0, shareMax).map((row) => ({ ...row, id: 0 }));
  return { top, rest: { ...lessOf(whole, top), count: sorted.length - top.length } };
}
