import { type Kysely, sql } from "kysely";
import { foldText } from "#base/fold-text.ts";

/** The largest number of rows that one statement updates. */
const batchRows = 500;

/**
 * Gives each user the folded form of the name, which is compared when somebody chooses a new name.
 * If several accounts have the same folded form, the oldest gets it; the others keep their names
 * without one.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("users").addColumn("username_key", "text").execute();
  const taken = new Set<string>();
  let last = 0;
  for (;;) {
    const { rows } = await sql<{ id: number; username: string }>`
      select id, username from users where id > ${last} order by id limit ${batchRows}
    `.execute(db);
    const final = rows.at(-1);
    if (final === undefined) break;
    last = final.id;
    const keyed = rows.flatMap(({ id, username }) => {
      const key = foldText(username);
      if (taken.has(key)) return [];
      taken.add(key);
      return [sql`(cast(${id} as bigint), cast(${key} as text))`];
    });
    if (keyed.length === 0) continue;
    await sql`
      with folded (id, name_key) as (values ${sql.join(keyed)})
      update users set username_key = folded.name_key from folded where users.id = folded.id
    `.execute(db);
  }
  await sql`create unique index users_folded_name on users (username_key)`.execute(db);
  await sql`create index users_admins on users (role) where role >= 10`.execute(db);
}
