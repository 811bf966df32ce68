import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { contains } from "#db/text-search.ts";
import { daySeconds, hourSeconds } from "./log-times.ts";
import { coverageOf, type Stretch } from "./usage-totals.repo.ts";

type ChannelFilter = Stretch & {
  /** Part of the model's name; empty: every model. */
  readonly modelName: string;
  /** 0: every channel. */
  readonly channelId: number;
  /** Whether the models of a channel are added up, under an empty name. */
  readonly merge: boolean;
};

type ChannelSum = {
  readonly channel_id: number;
  readonly model_name: string;
  quota: number;
  count: number;
  token_used: number;
};

/** Adds up what calls were charged in whole hours, by channel and model. */
export async function sumByChannel(db: Db, filter: ChannelFilter): Promise<ChannelSum[]> {
  const { days, hours, rest } = await coverageOf(db, filter);
  const sums = new Map<string, ChannelSum>();
  const parts = [
    ...days.map((part) => ({ part, span: daySeconds })),
    ...hours.map((part) => ({ part, span: hourSeconds })),
    ...rest.map((part) => ({ part, span: 0 })),
  ];
  for (const { part, span } of parts) {
    for (const row of await sumPart(db, filter, part, span)) {
      const key = `${row.channel_id} ${row.model_name}`;
      const sum = sums.get(key);
      if (sum === undefined) {
        sums.set(key, row);
        continue;
      }
      sum.quota += row.quota;
      sum.count += row.count;
      sum.token_used += row.token_used;
    }
  }
  return [...sums.values()];
}

/** @param span seconds of the totals to read; 0: the hourly roll-up is read. */
async function sumPart(
  db: Db,
  { modelName, channelId, merge }: ChannelFilter,
  { start, end }: Stretch,
  span: number,
): Promise<ChannelSum[]> {
  const table = span === 0 ? sql`usage_hours` : sql`usage_totals`;
  const time =
    span === 0
      ? sql`hour >= ${start} and hour < ${end}`
      : sql`span = ${sql.lit(span)} and start >= ${start} and start < ${end}`;
  const ofChannel = channelId === 0 ? sql`` : sql`and channel_id = ${channelId}`;
  const ofModel = modelName === "" ? sql`` : sql`and ${contains("model_name", modelName)}`;
  const { rows } = await sql<ChannelSum>`
    select channel_id, ${merge ? sql`''` : sql`model_name`} as model_name,
      sum(quota) as quota, sum(request_count) as count,
      sum(prompt_tokens + completion_tokens) as token_used
    from ${table} where ${time} ${ofChannel} ${ofModel}
    group by channel_id ${merge ? sql`` : sql`, model_name`}
  `.execute(db);
  return rows;
}
