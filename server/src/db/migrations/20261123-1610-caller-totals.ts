import { type Kysely, sql } from "kysely";
import { createTable, type Dialect, wholeType } from "#db/dialect.ts";
import { texts, wholes } from "./20261121-1500-foundation.ts";

const sums = ["quota", "request_count", "prompt_tokens", "completion_tokens"] as const;
const columns = sql.join(sums.map((name) => sql.ref(name)));
const summed = sql.join(sums.map((name) => sql`sum(${sql.ref(name)})`));

/**
 * Adds the sums of users and tokens by day and by eight days, and those of models by hour, and makes
 * them for all hours that have totals.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  const callers = ["span", "start", "user_id", "token_id"] as const;
  await wholes(createTable(db, dialect, "caller_totals"), whole, [...callers, ...sums])
    .addPrimaryKeyConstraint("caller_totals_key", [...callers] as never[])
    .execute();
  await wholes(createTable(db, dialect, "model_totals"), whole, ["hour", ...sums])
    .$call(texts("model_name", "group"))
    .addPrimaryKeyConstraint("model_totals_key", ["hour", "model_name", "group"] as never[])
    .execute();
  await sql`
    insert into model_totals (hour, model_name, "group", ${columns})
    select start, model_name, "group", ${summed} from usage_totals where span = 3600
    group by start, model_name, "group"
  `.execute(db);
  // Nothing is found if no totals were made yet: then the job makes all of them.
  const until = (unit: number) => sql`(
    select cast(value as bigint) - cast(value as bigint) % ${sql.lit(unit)}
    from meta where key = 'usage_totals_until'
  )`;
  await sql`
    insert into caller_totals (span, start, user_id, token_id, ${columns})
    select 86400, hour - hour % 86400, user_id, token_id, ${summed} from usage_hours
    where hour < ${until(86_400)}
    group by hour - hour % 86400, user_id, token_id
  `.execute(db);
  await sql`
    insert into caller_totals (span, start, user_id, token_id, ${columns})
    select 691200, start - start % 691200, user_id, token_id, ${summed} from caller_totals
    where span = 86400 and start < ${until(691_200)}
    group by start - start % 691200, user_id, token_id
  `.execute(db);
}
