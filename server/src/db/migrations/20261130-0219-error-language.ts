import { type Kysely, sql } from "kysely";

/**
 * Keeps error messages in Chinese for programs of installations that exist, where root has not
 * chosen. In new ones, calls of models are answered in English.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    insert into options (key, value)
    select 'ApiErrorLanguage', 'zh'
    where exists (select 1 from users)
      and not exists (select 1 from options where key = 'ApiErrorLanguage')
  `.execute(db);
}
