/** Reads from the database what the doctor judges. */

import { hasPrice, type PriceList } from "@tollgate/contract/money/charge.ts";
import {
  isOptionName,
  isPriceOption,
  showOption,
  type StoredOptionName,
  options as definitions,
} from "@tollgate/contract/options/options.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { sql } from "kysely";
import { openSecrets, type Secrets } from "#base/secrets.ts";
import { openDatabase } from "#db/connection.ts";
import type { Db } from "#db/database.ts";
import { databaseMs } from "#db/dialect.ts";
import { requireSchema } from "#db/migrator.ts";
import { isWholeSqlite } from "#db/sqlite-copy.ts";
import { StoreUnavailable } from "#db/store-unavailable.ts";
import { splitList } from "#modules/channels/channels.ts";
import { channelStore } from "#modules/channels/channels.store.ts";
import { openChannels } from "#modules/channels/channels.ts";
import { wrongKey } from "#modules/installation/key-check.ts";
import { openOptions } from "#modules/options/options.ts";
import { optionStore } from "#modules/options/options.store.ts";
import { findPrices, parsePrices } from "#modules/pricing/pricing.ts";
import { readLineage } from "#modules/ledger/nodes.ts";
import type { Config } from "#config.ts";

export type ChannelFact = {
  readonly name: string;
  readonly status: number;
  readonly groups: readonly string[];
  readonly models: readonly string[];
  readonly hasKeys: boolean;
  /** Why the gateway cannot use it; null: it can. */
  readonly fault: string | null;
  readonly testError: string;
};

export type DatabaseFacts =
  | { readonly kind: "unreachable"; readonly reason: string }
  | { readonly kind: "schema"; readonly reason: string }
  | {
      readonly kind: "read";
      /** Why the secret key is not that of the database; null: it is. */
      readonly wrongKey: string | null;
      /** The database's clock, in Unix milliseconds, and when it was asked by ours. */
      readonly clockMs: number;
      readonly askedMs: number;
      /** When the newest entry of the audit log was made, in Unix milliseconds; 0: there is none. */
      readonly newestMs: number;
      /** Of SQLite: whether all of it can be read. */
      readonly isWhole: boolean | null;
      readonly server: ServerFacts | null;
      readonly notices: readonly string[];
      readonly hasRoot: boolean;
      readonly rootHasFactor: boolean;
      /** The options by name, as text. */
      readonly options: ReadonlyMap<string, string>;
      /** Options whose stored values are not used, with the reason. */
      readonly badOptions: readonly string[];
      readonly channels: readonly ChannelFact[];
      readonly groups: readonly string[];
      /** Models of enabled channels that have no price. */
      readonly unpriced: readonly string[];
    };

/** What PostgreSQL says of itself. */
export type ServerFacts = {
  readonly version: string;
  readonly isStandby: boolean;
  readonly fsync: boolean;
  readonly synchronousCommit: string;
  readonly connectionsMax: number;
  readonly connections: number;
  /** Empty: the server or the role does not tell it. */
  readonly lineage: string;
};

export async function readDatabase(config: Config): Promise<DatabaseFacts> {
  const { database } = config;
  const { db, dialect, notices, close } = openDatabase(database, "reader");
  try {
    await db.selectNoFrom(sql.lit(1).as("one")).execute();
  } catch (error) {
    await close();
    const reason = error instanceof StoreUnavailable ? error.reason : messageOf(error);
    return { kind: "unreachable", reason };
  }
  try {
    await requireSchema(db, dialect);
  } catch (error) {
    await close();
    return { kind: "schema", reason: messageOf(error) };
  }
  try {
    const server = dialect === "postgres" ? await readServer(db) : null;
    const isWhole = database.dialect === "sqlite" ? isWholeSqlite(database.file) : null;
    return { ...(await readTables(db, config)), isWhole, server, notices: notices() };
  } finally {
    await close();
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).trim();
}

async function readTables(db: Db, config: Config) {
  const secrets = openSecrets(config.secretKey);
  const badOptions: string[] = [];
  const options = openOptions(secrets, (key, reason) => void badOptions.push(`${key} (${reason})`));
  options.refresh(await optionStore.reads.loadOptions(db));
  const list = await readPrices(db);
  const channels = await readChannels(db, secrets);
  const served = channels.filter(({ status }) => status === 1).flatMap(({ models }) => models);
  const askedMs = Date.now();
  const { now } = await db.selectNoFrom(databaseMs(db).as("now")).executeTakeFirstOrThrow();
  const newest = await db
    .selectFrom("audit_log")
    .select((eb) => eb.fn.max("created_at").as("at"))
    .executeTakeFirst();
  return {
    kind: "read" as const,
    wrongKey: await wrongKey(db, secrets.fingerprint),
    clockMs: Number(now),
    askedMs,
    newestMs: Number(newest?.at ?? 0) * 1_000,
    ...(await readRoot(db)),
    options: new Map(storedNames.map((name) => [name, showOption(name, options.read(name))])),
    badOptions,
    channels,
    groups: Object.keys(list?.GroupRatio ?? {}),
    unpriced: [...new Set(served)].filter((model) => list !== null && !hasPrice(list, model)),
  };
}

const storedNames = Object.keys(definitions).filter(
  (name): name is StoredOptionName => isOptionName(name) && !isPriceOption(name),
);

async function readPrices(db: Db): Promise<PriceList | null> {
  const row = await findPrices(db);
  return row === undefined ? null : (parsePrices(row)?.list ?? null);
}

async function readChannels(db: Db, secrets: Secrets): Promise<ChannelFact[]> {
  const loaded = await channelStore.reads.loadChannels(db, null);
  const faults = new Map<number, string>();
  openChannels(loaded, secrets, (id, reason) => void faults.set(id, String(reason)));
  return loaded.map(({ row, keys }) => ({
    name: row.name,
    status: row.status,
    groups: splitList(row.group),
    models: splitList(row.models),
    hasKeys: keys.length > 0,
    fault: faults.get(row.id) ?? null,
    testError: row.test_error,
  }));
}

async function readRoot(db: Db) {
  const root = await db
    .selectFrom("users")
    .select("id")
    .where("role", "=", role.enum.root)
    .where("DeletedAt", "is", null)
    .executeTakeFirst();
  if (root === undefined) return { hasRoot: false, rootHasFactor: false };
  const { mustProveFactor } = await import("#modules/second-factor/second-factor.ts");
  return { hasRoot: true, rootHasFactor: await mustProveFactor(db, root.id) };
}

async function readServer(db: Db): Promise<ServerFacts> {
  const { rows } = await sql<Omit<ServerFacts, "lineage">>`
    select current_setting('server_version') as version,
      pg_is_in_recovery() as "isStandby",
      current_setting('fsync') = 'on' as fsync,
      current_setting('synchronous_commit') as "synchronousCommit",
      current_setting('max_connections')::int as "connectionsMax",
      (select count(*)::int from pg_stat_activity) as connections
  `.execute(db);
  const [found] = rows;
  if (found === undefined) throw new Error("PostgreSQL says nothing of itself");
  // A standby does not know where it writes.
  return { ...found, lineage: found.isStandby ? "" : await readLineage(db) };
}
