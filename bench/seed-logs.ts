/**
 * Fills the log with charged calls while the product is stopped. The ledger's own code posts them in
 * its own transactions, so the ledger is that of a gateway that has served these calls, and
 * `tollgate audit` checks it as usual. Only the waiting for the disk and the journal are left out.
 */

import { join } from "node:path";
import { sql } from "kysely";
import type { ChargedCallLog } from "@tollgate/server/src/canonical/call-log.ts";
import { openDatabase } from "@tollgate/server/src/db/connection.ts";
import type { Db } from "@tollgate/server/src/db/database.ts";
import { applyBatch } from "@tollgate/server/src/modules/ledger/batch.ts";
import { joinNodes } from "@tollgate/server/src/modules/ledger/nodes.ts";
import type { Product, Spender } from "./product.ts";

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
  readonly spenders: readonly Spender[];
};

/**
 * Writes the rows of one seed into the log of the stopped product.
 * @returns the number of rows written.
 */
export async function seedLogs(product: Product, seed: Seed): Promise<number> {
  const file = join(product.home.dataDir, "tollgate.db");
  const opened = openDatabase({ dialect: "sqlite", file }, "writer");
  try {
    await sql`pragma synchronous = off`.execute(opened.db);
    // No other process has the file open, and a failed seed is discarded, so no journal is needed.
    await sql`pragma journal_mode = off`.execute(opened.db);
    await sql`pragma cache_size = -1000000`.execute(opened.db);
    const pattern = await readPattern(opened.db);
    const endSeconds = pattern.createdAt - 1;
    for (let start = seed.from; start < seed.to; start += batchRows) {
      const rows = Array.from({ length: Math.min(batchRows, seed.to - start) }, (_, at) =>
        rowOf(pattern, seed, { product, number: start + at, endSeconds }),
      );
      await post(opened.db, rows, pattern.quota);
    }
    await sql`pragma journal_mode = wal`.execute(opened.db);
    return seed.to - seed.from;
  } finally {
    await opened.close();
  }
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

type Place = {
  readonly product: Product;
  readonly number: number;
  readonly endSeconds: number;
};

function rowOf(
  { quota: _, ...pattern }: Pattern,
  { spenders, total }: Seed,
  { product, number, endSeconds }: Place,
): ChargedCallLog {
  const spender = spenders[number % spenders.length] ?? product.spender;
  const ageSeconds = Math.floor(((total - number) / total) * days * daySeconds);
  return {
    ...pattern,
    requestId: `seed-${number}`,
    createdAt: endSeconds - ageSeconds,
    userId: spender.client.userId,
    username: spender.username,
    tokenId: spender.tokenId,
    tried: [product.channelIds[number % product.channelIds.length] ?? 0],
  };
}

async function post(db: Db, rows: readonly ChargedCallLog[], charge: number): Promise<void> {
  const operations = rows.map(
    (log) =>
      ({
        type: "settle",
        id: log.requestId,
        tokenLimited: true,
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
