/**
 * Sums of charges and costs, from the totals of days and hours as far as they are made, else from
 * `usage_hours`.
 */

import type {
  CostedCall,
  MarginKind,
  MarginRow,
  MarginSums,
} from "@tollgate/contract/endpoints/margins.ts";
import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
import { daySeconds, hourSeconds } from "@tollgate/contract/fields/time-zone.ts";
import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { isNamed } from "#db/text-search.ts";
import { coverageOf } from "#modules/logs/logs.ts";
import type { ChannelLoss } from "#modules/notifications/notifications.ts";

export type MarginFilter = {
  /** Whole hours in Unix seconds; `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /** Empty and 0: any. */
  readonly modelName: string;
  readonly group: string;
  readonly username: string;
  readonly channel: number;
  readonly below: boolean;
};

/** The column by which sums are made. */
const columns = {
  models: "model_name",
  channels: "channel_id",
  users: "user_id",
  groups: "group",
} as const satisfies Readonly<Record<MarginKind, string>>;

type Part = {
  readonly start: number;
  readonly end: number;
  /** Seconds of a row of `usage_totals`; 0: the rows are those of `usage_hours`. */
  readonly span: number;
};

/** Says where the sums are. Only the hourly roll-up knows the users. */
async function partsOf(db: Db, filter: MarginFilter, byUser: boolean): Promise<readonly Part[]> {
  const { start, end, username } = filter;
  if (byUser || username !== "") return [{ start, end, span: 0 }];
  const { days, hours, rest } = await coverageOf(db, filter);
  return [
    ...days.map((part) => ({ ...part, span: daySeconds })),
    ...hours.map((part) => ({ ...part, span: hourSeconds })),
    ...rest.map((part) => ({ ...part, span: 0 })),
  ];
}

function conditionsOf(filter: MarginFilter, { start, end, span }: Part): RawBuilder<unknown> {
  const { modelName, group, username, channel } = filter;
  const time = span === 0 ? sql`hour` : sql`start`;
  const where = [sql`${time} >= ${start} and ${time} < ${end}`];
  if (span !== 0) where.push(sql`span = ${sql.lit(span)}`);
  if (modelName !== "") where.push(sql`model_name = ${modelName}`);
  if (group !== "") where.push(isNamed("group", group));
  if (channel !== 0) where.push(sql`channel_id = ${channel}`);
  if (username !== "") {
    where.push(sql`user_id in (select id from users where ${isNamed("username", username)})`);
  }
  return sql.join(where, sql` and `);
}

type Key = number | string;

/** Sums charges and costs by one column. */
async function sumBy(
  db: Db,
  kind: MarginKind,
  filter: MarginFilter,
): Promise<ReadonlyMap<Key, MarginSums>> {
  const column = sql.ref(columns[kind]);
  const found = new Map<Key, MarginSums>();
  for (const part of await partsOf(db, filter, kind === "users")) {
    const { rows } = await sql<MarginSums & { key: Key }>`
      select ${column} as key, sum(quota) as quota, sum(request_count) as calls, sum(cost) as cost,
        sum(costed_quota) as costed_quota, sum(costed_count) as costed_calls
      from ${sql.table(part.span === 0 ? "usage_hours" : "usage_totals")}
      where ${conditionsOf(filter, part)} group by ${column}
    `.execute(db);
    for (const { key, ...sums } of rows) found.set(key, added(found.get(key) ?? noSums, sums));
  }
  return found;
}

const noSums: MarginSums = { quota: 0, calls: 0, cost: 0, costed_quota: 0, costed_calls: 0 };

function added(sums: MarginSums, more: MarginSums): MarginSums {
  return {
    quota: sums.quota + Number(more.quota),
    calls: sums.calls + Number(more.calls),
    cost: sums.cost + Number(more.cost),
    costed_quota: sums.costed_quota + Number(more.costed_quota),
    costed_calls: sums.costed_calls + Number(more.costed_calls),
  };
}

type Margins = {
  readonly items: readonly MarginRow[];
  readonly total: number;
  readonly totals: MarginSums;
};

/** Lists sums of charges and costs, the largest loss first. */
export async function pageMargins(
  db: Db,
  kind: MarginKind,
  filter: MarginFilter,
  { page, page_size }: PageWindow,
): Promise<Margins> {
  const sums = [...(await sumBy(db, kind, filter))];
  const totals = sums.reduce((all, [, each]) => added(all, each), noSums);
  const shown = sums
    .filter(([, { cost, costed_quota }]) => !filter.below || cost > costed_quota)
    .toSorted(
      ([a, one], [b, other]) =>
        one.costed_quota - one.cost - (other.costed_quota - other.cost) ||
        other.quota - one.quota ||
        (a < b ? -1 : 1),
    );
  const window = shown.slice((page - 1) * page_size, page * page_size);
  const names = await namesOf(
    db,
    kind,
    window.map(([key]) => Number(key)),
  );
  const items = window.map(([key, each]) => {
    const isNamed = typeof key === "string";
    return { ...each, id: isNamed ? 0 : key, name: isNamed ? key : (names.get(key) ?? "") };
  });
  return { items, total: shown.length, totals };
}

async function namesOf(
  db: Db,
  kind: MarginKind,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (ids.length === 0 || kind === "models" || kind === "groups") return new Map();
  const rows =
    kind === "users"
      ? await db
          .selectFrom("users")
          .select(["id", "username as name"])
          .where("id", "in", ids)
          .execute()
      : await db.selectFrom("channels").select(["id", "name"]).where("id", "in", ids).execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** Lists the calls that were sold for less than they cost, newest first. */
export async function pageLosses(
  db: Db,
  filter: MarginFilter,
  { page, page_size }: PageWindow,
): Promise<{ readonly items: CostedCall[]; readonly total: number }> {
  const { start, end, modelName, group, username, channel } = filter;
  // The first two conditions are those of the index `logs_below_cost`.
  const rows = db
    .selectFrom("logs")
    .where(sql<boolean>`logs.type = 2`)
    .where(sql<boolean>`logs.cost > logs.quota`)
    .where("logs.created_at", ">=", start)
    .where("logs.created_at", "<", end)
    .where("logs.reversed", "=", 0)
    .where("logs.refunded", "=", 0)
    .where(sql<boolean>`logs.cost > logs.quota + logs.rerated`)
    .$if(modelName !== "", (query) => query.where("model_name", "=", modelName))
    .$if(group !== "", (query) => query.where(isNamed("logs.group", group)))
    .$if(username !== "", (query) => query.where(isNamed("username", username)))
    .$if(channel !== 0, (query) => query.where("channel", "=", channel));
  const { total } = await rows
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const items = await rows
    .leftJoin("channels", "channels.id", "logs.channel")
    .select([
      "logs.id",
      "logs.created_at",
      "request_id",
      "username",
      "model_name",
      "logs.group",
      "channel",
      "prompt_tokens",
      "completion_tokens",
      "quota",
    ])
    .select([sql<string>`coalesce(channels.name, '')`.as("channel_name")])
    .select([sql<number>`coalesce(cost, 0)`.as("cost")])
    .orderBy("logs.created_at", "desc")
    .orderBy("logs.id", "desc")
    .limit(page_size)
    .offset((page - 1) * page_size)
    .execute();
  return { items, total: Number(total) };
}

/** Finds what a charged call cost; null: there is no such call. */
export async function findCallCost(db: Db, id: number) {
  const row = await db
    .selectFrom("logs")
    .select(["cost", "cost_version", "cost_reported as reported"])
    .where("id", "=", id)
    .where("type", "=", 2)
    .executeTakeFirst();
  return row ?? null;
}

/** The most channels whose losses are told at a time. */
const toldMax = 20;

/**
 * Finds the channels that have sold calls of a model for at least this much less than they cost, each
 * with the model that has lost the most; the largest loss first.
 */
export async function listChannelLosses(
  db: Db,
  { start, end }: { readonly start: number; readonly end: number },
  least: number,
): Promise<ChannelLoss[]> {
  const { rows } = await sql<ChannelLoss>`
    select channel_id as "channelId", coalesce(channels.name, '') as name, model_name as model,
      sum(costed_quota) as charged, sum(cost) as cost
    from usage_hours left join channels on channels.id = channel_id
    where hour >= ${start} and hour < ${end}
    group by channel_id, channels.name, model_name
    having sum(cost) - sum(costed_quota) >= ${least}
    order by sum(costed_quota) - sum(cost), channel_id, model_name`.execute(db);
  const worst = new Map<number, ChannelLoss>();
  for (const row of rows) {
    const loss = { ...row, charged: Number(row.charged), cost: Number(row.cost) };
    if (!worst.has(loss.channelId)) worst.set(loss.channelId, loss);
  }
  return [...worst.values()].slice(0, toldMax);
}
