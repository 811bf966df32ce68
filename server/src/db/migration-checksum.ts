/** Computes a checksum over the SQL of a migration, so that a later change of it is noticed. */

import { createHash } from "node:crypto";
import {
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely";
import type { Dialect } from "./dialect.ts";
import type { Migration } from "./migrations/index.ts";

/** Hexadecimal digits of the checksum. It detects edits; it does not protect from attackers. */
const checksumLength = 32;

/**
 * Runs the migration without a database and hashes the SQL it emits, with the parameters. Its
 * queries find no rows.
 */
export async function checksumOf(migration: Migration, dialect: Dialect): Promise<string> {
  const hash = createHash("sha256");
  const record = ({ sql, parameters }: CompiledQuery): void => {
    hash.update(`${JSON.stringify([sql, parameters])}\n`);
  };
  const parts =
    dialect === "postgres"
      ? {
          createAdapter: () => new PostgresAdapter(),
          createIntrospector: (db: Kysely<unknown>) => new PostgresIntrospector(db),
          createQueryCompiler: () => new PostgresQueryCompiler(),
        }
      : {
          createAdapter: () => new SqliteAdapter(),
          createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
          createQueryCompiler: () => new SqliteQueryCompiler(),
        };
  const db = new Kysely<unknown>({
    dialect: { ...parts, createDriver: () => new DummyDriver() },
    log: ({ query }) => record(query),
  });
  await migration(db, dialect);
  return hash.digest("hex").slice(0, checksumLength);
}
