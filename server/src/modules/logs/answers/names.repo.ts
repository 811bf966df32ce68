/** Finds the names of what ids in sums stand for, and the ids of names. */

import { type RawBuilder, sql, type SqlBool } from "kysely";
import type { Db } from "#db/database.ts";
import { startsWith } from "#db/text-search.ts";

type Named = "channel" | "token" | "user";

/** The most names that one statement reads. */
const namesAtOnce = 500;

/** Finds the names of ids; what was deleted has none. */
export async function namesOf(
  db: Db,
  kind: Named,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const names = new Map<number, string>();
  for (let from = 0; from < ids.length; from += namesAtOnce) {
    const part = ids.slice(from, from + namesAtOnce);
    const rows = await selectNames(db, kind, sql<SqlBool>`id in (${sql.join(part)})`);
    for (const { id, name } of rows) names.set(id, name);
  }
  return names;
}

/** Finds the ids of those whose names begin so. */
export async function idsNamed(db: Db, kind: Named, prefix: string): Promise<readonly number[]> {
  const column = kind === "user" ? "username" : "name";
  return (await selectNames(db, kind, startsWith(column, prefix))).map(({ id }) => id);
}

type Name = { readonly id: number; readonly name: string };

async function selectNames(db: Db, kind: Named, where: RawBuilder<SqlBool>): Promise<Name[]> {
  if (kind === "user") {
    const users = db.selectFrom("users").select(["id", "username as name"]);
    return await users.where(where).limit(namesAtOnce).execute();
  }
  const named = db.selectFrom(kind === "token" ? "tokens" : "channels").select(["id", "name"]);
  return await named.where(where).limit(namesAtOnce).execute();
}
