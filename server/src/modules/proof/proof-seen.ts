/**
 * Checks of `proof.ts` about the output that came of a call, whose length its row stores. Part of T4:
 * where the gateway has counted, no less output was charged than came. T13, only a warning: output of
 * which an upstream has reported less than a quarter. The tables are correct then, but the upstream
 * reports too little, or the gateway has read its report wrongly.
 */

import { usageSource } from "@tollgate/contract/endpoints/logs.ts";
import { type Selectable, sql } from "kysely";
import { outputOf, type Usage } from "#canonical/usage.ts";
import type { Db } from "#db/database.ts";
import type { LogTable } from "#db/tables/logs.ts";

type Seen = Pick<Selectable<LogTable>, "seen_output" | "usage_source">;

/** Says what is wrong with the source of a charge's counts; null: nothing. */
export function judgeSeen({ seen_output: seen, usage_source: source }: Seen, usage: Usage) {
  if (!usageSource.safeParse(source).success) return "its usage source is unknown";
  const isCounted = source === "local" || source === "upstream+seen";
  return isCounted && outputOf(usage) < seen ? `output is less than the ${seen} that came` : null;
}

/** How much output a call must have had at least: that of a few words cannot be estimated. */
const seenMin = 16;

/** A real tokenizer may need a half of the estimated tokens, but hardly a quarter. */
const seenTimesMax = 4;

const daySeconds = 86_400;

type Day = { day: number; calls: number; charged: number; seen: number; first: string };

/** Check T13: names each day on which calls were charged for less than a quarter of their output. */
export async function findUnchargedOutput(db: Db): Promise<string[]> {
  const { rows } = await sql<Day>`
    select created_at / ${sql.lit(daySeconds)} as day, count(*) as calls,
      sum(completion_tokens) as charged, sum(seen_output) as seen, min(request_id) as first
    from logs
    where type = 2 and reversed = 0 and seen_output >= ${sql.lit(seenMin)}
      and seen_output > completion_tokens * ${sql.lit(seenTimesMax)}
    group by created_at / ${sql.lit(daySeconds)} order by day`.execute(db);
  return rows.map(({ day, calls, charged, seen, first }) => {
    const date = new Date(Number(day) * daySeconds * 1_000).toISOString().slice(0, 10);
    return (
      `T13 on ${date} less than a quarter of the output was charged of calls: ${calls}, ` +
      `with ${charged} tokens of ${seen} that came, such as request_id=${first}`
    );
  });
}
