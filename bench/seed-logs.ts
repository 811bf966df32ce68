/**
 * Fills the log with charged calls while the product is stopped. The ledger's own code posts them in
 * its own transactions, so the ledger is that of a gateway that has served these calls, and
 * `tollgate audit` checks it as usual. Only the waiting for the disk and the journal are left out.
 */

import { sql } from "kysely";
import type { ChargedCallLog } from "@tollgate/server/src/canonical/call-log.ts";
import { openDatabase } from "@tollgate/server/src/db/connection.ts";
import type { Db } from "@tollgate/server/src/db/database.ts";
import { applyBatch } from "@tollgate/server/src/modules/ledger/batch.ts";
import { joinNodes } from "@tollgate/server/src/modules/ledger/nodes.ts";
import { advanceTotals } from "@tollgate/server/src/modules/logs/usage-totals.repo.ts";
import { addressOf } from "@tollgate/server/test/proof/database-after.ts";
import {
  modelCount,
  modelName,
  type People,
  tokenName,
  tokensPerUser,
  userCount,
  userName,
} from "./log-people.ts";
import type { Product } from "./product.ts";

/** More rows would need more parameters than SQLite allows in a statement. */
const batchRows = 1_000;
/** The rows are spread over this many days. */
const days = 30;
const daySeconds = 86_400;

type Seed = {
  /**
   * Number of this seed's first row; `to` is the number after the last. Rows are numbered on from
   * seed to seed.
   */
  readonly from: number;
  readonly to: number;
  /**
   * Number of rows in the log once all seeds are done; a row's number and this total determine its
   * age.
   */
  readonly total: number;
  readonly people: People;
};

/** How large the log and its roll-ups are. */
export type LogSize = {
  readonly rows: number;
  /** Rows of the hourly roll-up, and of the one without users and tokens. */
  readonly hours: number;
  readonly totals: number;
  readonly megabytes: number;
};

/**
 * Writes the rows of one seed into the log of the stopped product, and makes the totals that a
 * running product makes within the hour.
 */
export async function seedLogs(product: Product, seed: Seed): Promise<LogSize> {
  const opened = openDatabase(addressOf(product.home), "writer");
  const { db } = opened;
  const isSqlite = product.home.dialect === "sqlite";
  try {
    if (isSqlite) {
      await sql`pragma synchronous = off`.execute(db);
      // No other process has the file open, and a failed seed is discarded, so no journal is needed.
      await sql`pragma journal_mode = off`.execute(db);
      await sql`pragma cache_size = -1000000`.execute(db);
    }
    const pattern = await readPattern(db);
    const endSeconds = pattern.createdAt - 1;
    for (let start = seed.from; start < seed.to; start += batchRows) {
      const rows = Array.from({ length: Math.min(batchRows, seed.to - start) }, (_, at) =>
        rowOf(pattern, seed, { number: start + at, endSeconds }),
      );
      await post(db, rows, pattern.quota);
    }
    let more = true;
    while (more) {
      more = await db.transaction().execute(async (tx) => await advanceTotals(tx, endSeconds));
    }
    if (isSqlite) await sql`pragma journal_mode = wal`.execute(db);
    // A running server does this by itself, some minutes later.
    else await sql`vacuum analyze`.execute(db);
    return await sizeOf(db, isSqlite);
  } finally {
    await opened.close();
  }
}

async function sizeOf(db: Db, isSqlite: boolean): Promise<LogSize> {
  const count = async (table: "logs" | "usage_hours" | "usage_totals"): Promise<number> => {
    const counted = db.selectFrom(table).select((eb) => eb.fn.countAll<number>().as("count"));
    return (await counted.executeTakeFirstOrThrow()).count;
  };
  const bytes = isSqlite
    ? sql<{
        bytes: number;
      }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`
    : sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`;
  const { rows } = await bytes.execute(db);
  return {
    rows: await count("logs"),
    hours: await count("usage_hours"),
    totals: await count("usage_totals"),
    megabytes: Math.round((rows[0]?.bytes ?? 0) / 1_000_000),
  };
}

type Pattern = ChargedCallLog & { readonly quota: number };

/** Reads the log row of a real call, whose usage, price version and charge are consistent. */
async function readPattern(db: Db): Promise<Pattern> {
  const row = await db
    .selectFrom("logs")
    .selectAll()
    .where("type", "=", 2)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirstOrThrow();
  return {
    requestId: row.request_id,
    createdAt: row.created_at,
    userId: row.user_id,
    username: row.username,
    tokenId: row.token_id,
    tokenName: row.token_name,
    tried: [row.channel],
    modelName: row.model_name,
    group: row.group,
    useTimeSeconds: row.use_time,
    isStream: row.is_stream === 1,
    upstreamModel: "",
    firstByteMs: 40,
    clientIp: row.client_ip,
    losses: [],
    // Safe cast: the ledger wrote these columns from the same types.
    usage: JSON.parse(row.usage) as ChargedCallLog["usage"],
    usageSource: row.usage_source as ChargedCallLog["usageSource"],
    priceVersion: row.price_version,
    price: {
      fixed: "",
      model: "1",
      completion: "1",
      group: "1",
      cache: "1",
      cacheCreation: "1.25",
      audio: "20",
      audioCompletion: "2",
    },
    interrupted: "",
    doubt: "",
    hiddenOutput: false,
    quota: row.quota,
  };
}

type Place = { readonly number: number; readonly endSeconds: number };

/**
 * Makes a row. Its number decides user, token, model and channel by a hash, so that all pairs of
 * them occur.
 */
function rowOf(
  { quota: _, ...pattern }: Pattern,
  { people, total }: Seed,
  { number, endSeconds }: Place,
): ChargedCallLog {
  const ageSeconds = Math.floor(((total - number) / total) * days * daySeconds);
  const user = pick(number, 1) % userCount;
  const token = pick(number, 2) % tokensPerUser;
  const { channelIds, firstUser, firstToken } = people;
  return {
    ...pattern,
    requestId: `seed-${number}`,
    createdAt: endSeconds - ageSeconds,
    userId: firstUser + user,
    username: userName(user),
    tokenId: firstToken + user * tokensPerUser + token,
    tokenName: tokenName(user, token),
    modelName: modelName(pick(number, 3) % modelCount),
    tried: [channelIds[pick(number, 4) % channelIds.length] ?? 0],
  };
}

/** Returns a number that looks random, but is the same in each run. */
function pick(number: number, kind: number): number {
  let hash = Math.imul(number ^ (kind * 0x9e37_79b9), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2_ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

async function post(db: Db, rows: readonly ChargedCallLog[], charge: number): Promise<void> {
  const operations = rows.map(
    (log) =>
      ({
        type: "settle",
        id: log.requestId,
        tokenLimited: false,
        charge,
        charged: charge,
        log,
      }) as const,
  );
  const results = await db.transaction().execute(async (tx) => {
    const epoch = await joinNodes(tx, { nodeId: "bench", epoch: 0 });
    return await applyBatch(tx, { nodeId: "bench", epoch, again: false, operations });
  });
  const isWhole =
    results !== "fenced" &&
    results.every((one) => one.type === "settled" && one.charged === charge);
  if (!isWhole) throw new Error(`a seeded call was not charged in full`);
}
