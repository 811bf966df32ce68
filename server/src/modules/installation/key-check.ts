import type { Db } from "#db/database.ts";
import { fingerprintKey } from "./installation.store.ts";

/**
 * Says that a secret key is not the one with which a database was made; null: it is, or the database
 * was never bound to one.
 */
export async function wrongKey(db: Db, fingerprint: string): Promise<string | null> {
  const bound = await db
    .selectFrom("meta")
    .select("value")
    .where("key", "=", fingerprintKey)
    .executeTakeFirst();
  if (bound === undefined || bound.value === fingerprint) return null;
  return (
    "the secret key is not the one this database was made with, so nothing sealed in it can be " +
    "opened. Restore the right key (on SQLite: secret.key in the data directory)."
  );
}
