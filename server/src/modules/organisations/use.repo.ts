/** Sums what the calls of an organisation were charged. */

import type { OrganisationUse } from "@tollgate/contract/endpoints/organisations.ts";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import { type By, enter } from "./enter.ts";

type Window = {
  /** Unix seconds, each the start of an hour. */
  readonly start: number;
  readonly end: number;
};

const daySeconds = 86_400;

type Sums = { quota: number; request_count: number };

/** Adds up by a key, and keeps the keys in the order of their first rows. */
function openSums<Key>() {
  const sums = new Map<Key, Sums>();
  return {
    add(key: Key, { quota, request_count }: Sums): void {
      const sum = sums.get(key) ?? { quota: 0, request_count: 0 };
      sum.quota += quota;
      sum.request_count += request_count;
      sums.set(key, sum);
    },
    largestFirst: () => [...sums].toSorted(([, a], [, b]) => b.quota - a.quota),
    all: () => [...sums],
  };
}

export async function readUse(
  db: Db,
  id: number,
  { start, end }: Window,
  by: By,
): Promise<OrganisationUse> {
  await enter(db, id, "read", by);
  const rows = await db
    .selectFrom("usage_hours")
    .select(["token_id", "model_name"])
    .select(sql<number>`hour - hour % ${sql.lit(daySeconds)}`.as("day"))
    .select((eb) => [
      eb.fn.sum<number>("quota").as("quota"),
      eb.fn.sum<number>("request_count").as("request_count"),
    ])
    .where("user_id", "=", id)
    .where("hour", ">=", start)
    .where("hour", "<", end)
    .groupBy(["token_id", "model_name", "day"])
    .orderBy("day")
    .execute();
  const keys = await db
    .selectFrom("organisation_keys as keys")
    .innerJoin("projects", "projects.id", "keys.project_id")
    .leftJoin("users", "users.id", "keys.user_id")
    .select(["keys.token_id", "keys.project_id", "keys.user_id"])
    .select(["projects.name", "users.username"])
    .where("keys.organisation_id", "=", id)
    .execute();
  const byToken = new Map(keys.map((key) => [key.token_id, key]));
  const projectNames = new Map(keys.map(({ project_id, name }) => [project_id, name]));
  const usernames = new Map(keys.map(({ user_id, username }) => [user_id, username ?? ""]));
  const [projects, people] = [openSums<number>(), openSums<number>()];
  const [models, days] = [openSums<string>(), openSums<number>()];
  const total: Sums = { quota: 0, request_count: 0 };
  for (const row of rows) {
    const sum = { quota: Number(row.quota), request_count: Number(row.request_count) };
    const key = byToken.get(row.token_id);
    projects.add(key?.project_id ?? 0, sum);
    people.add(key?.user_id ?? 0, sum);
    models.add(row.model_name, sum);
    days.add(Number(row.day), sum);
    total.quota += sum.quota;
    total.request_count += sum.request_count;
  }
  return {
    start,
    end,
    ...total,
    projects: projects
      .largestFirst()
      .map(([project, sum]) => ({ id: project, name: projectNames.get(project) ?? "", ...sum })),
    people: people.largestFirst().map(([user_id, sum]) => {
      return { user_id, username: usernames.get(user_id) ?? "", ...sum };
    }),
    models: models.largestFirst().map(([model_name, sum]) => ({ model_name, ...sum })),
    days: days.all().map(([day, sum]) => ({ start: day, ...sum })),
  };
}
