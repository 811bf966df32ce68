/**
 * Fills the log with charged calls while the product is stopped. Rows and entries are made by the
 * functions of the ledger, with their hashes and the chain of each user; sums, balances and roll-ups
 * are added up beside them, and loaded in bulk. So the database is that of a gateway that has served
 * these calls, and `tollgate audit` checks it as usual.
 */

import { sql } from "kysely";
import type { ChargedCallLog } from "@tollgate/server/src/canonical/call-log.ts";
import { attemptCounts, firstByteBuckets } from "@tollgate/server/src/canonical/attempts.ts";
import { openDatabase } from "@tollgate/server/src/db/connection.ts";
import type { Db } from "@tollgate/server/src/db/database.ts";
import type { BalanceTable } from "@tollgate/server/src/db/tables/ledger.ts";
import { causeOf } from "@tollgate/server/src/modules/ledger/applied.ts";
import { settledRow } from "@tollgate/server/src/modules/ledger/call-rows.ts";
import { entryHash } from "@tollgate/server/src/modules/ledger/chain.ts";
import { logHash } from "@tollgate/server/src/modules/logs/logs.ts";
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
} from "./people.ts";
import type { Product } from "#bench/product.ts";
import { loadTables, type TableRows, vacuum } from "./tables.ts";
import { saveSums, type Sum, type Sums } from "./sums.ts";

/** The rows are spread over this many days. */
const days = 30;
const daySeconds = 86_400;
const hourSeconds = 3_600;

type Seed = {
  /** How many rows. */
  readonly rows: number;
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
 * Writes the rows into the log of the stopped product, and makes the totals that a running product
 * makes within the hour.
 */
export async function seedLogs(product: Product, seed: Seed): Promise<LogSize> {
  const address = addressOf(product.home);
  const opened = openDatabase(address, "writer");
  const { db } = opened;
  const isSqlite = address.dialect === "sqlite";
  try {
    if (isSqlite) {
      await sql`pragma synchronous = off`.execute(db);
      // No other process has the file open, and a failed seed is discarded, so no journal is needed.
      await sql`pragma journal_mode = off`.execute(db);
      await sql`pragma cache_size = -1000000`.execute(db);
    }
    const pattern = await readPattern(db);
    await loadTables(db, address, async (load) => {
      const sums = await fill(db, { load, pattern, seed });
      await db.transaction().execute(async (tx) => await saveSums(tx, sums));
    });
    if (!isSqlite) {
      await sql`select setval(pg_get_serial_sequence('logs', 'id'), (select max(id) from logs))`.execute(
        db,
      );
    }
    let more = true;
    while (more) {
      more = await db
        .transaction()
        .execute(async (tx) => await advanceTotals(tx, pattern.createdAt - 1));
    }
    if (address.dialect === "sqlite") await sql`pragma journal_mode = wal`.execute(db);
    else await vacuum(address.url);
    return await sizeOf(db, isSqlite);
  } finally {
    await opened.close();
  }
}

type Filling = {
  readonly load: (tables: readonly TableRows[]) => Promise<void>;
  readonly pattern: Pattern;
  readonly seed: Seed;
};

/** Makes the rows hour by hour, oldest first, and loads each hour with its roll-up. */
async function fill(db: Db, { load, pattern, seed }: Filling): Promise<Sums> {
  const endSeconds = pattern.createdAt - 1;
  const balances = await db.selectFrom("balances").selectAll().execute();
  const heads = new Map(balances.map((row) => [row.user_id, { ...row }]));
  const sums: Sums = { heads, counters: new Map(), days: new Map() };
  const newest = await db
    .selectFrom("logs")
    .select((eb) => eb.fn.max<number>("id").as("id"))
    .executeTakeFirstOrThrow();
  let logs: Record<string, number | string | null>[] = [];
  let entries: Record<string, number | string>[] = [];
  let hours = new Map<string, HourRow>();
  let present = 0;
  const loadHour = async (): Promise<void> => {
    if (logs.length === 0) return;
    const rows = [...hours.values()];
    await load([
      ["logs", logs],
      ["entries", entries],
      ["usage_hours", rows],
      ["channel_hours", attemptsOf(rows, sums)],
    ]);
    [logs, entries, hours] = [[], [], new Map()];
  };
  for (let number = 0; number < seed.rows; number += 1) {
    const call = callOf(pattern, seed, { number, endSeconds });
    const hour = call.createdAt - (call.createdAt % hourSeconds);
    if (hour !== present) await loadHour();
    present = hour;
    const { quota } = pattern;
    const { tags: _, ...row } = settledRow(call, quota, 0);
    const log = { id: newest.id + 1 + number, ...row };
    logs.push(log);
    const head = heads.get(call.userId);
    if (head === undefined) throw new Error(`user ${call.userId} has no balance`);
    entries.push(entryOf(log, head));
    addCall(hours, sums, { hour, log });
  }
  await loadHour();
  return sums;
}

type Log = { readonly id: number } & ReturnType<typeof settledRow>;

/** Appends the entry of a call to its user's chain. */
function entryOf(log: Log, head: BalanceTable): Record<string, number | string> {
  head.balance -= log.quota;
  head.used += log.quota;
  head.entry_count += 1;
  const entry = {
    cause: causeOf(log.request_id),
    kind: "settle" as const,
    user_id: log.user_id,
    seq: head.entry_count,
    token_id: log.token_id,
    channel_id: log.channel,
    amount: -log.quota,
    balance_after: head.balance,
    used_after: head.used,
    log_id: log.id,
    detail: logHash(log),
    created_at: log.created_at,
    budget_at: 0,
    debt: 0,
  };
  head.head_hash = entryHash(head.head_hash, entry);
  return { ...entry, hash: head.head_hash };
}

type HourRow = Record<string, number | string> & Sum & { channel_id: number; model_name: string };

function addCall(
  hours: Map<string, HourRow>,
  sums: Sums,
  { hour, log }: { readonly hour: number; readonly log: Log },
): void {
  const { user_id, token_id, channel, model_name, group } = log;
  const key = `${token_id} ${channel} ${model_name}`;
  let row = hours.get(key);
  if (row === undefined) {
    const place = { hour, user_id, token_id, channel_id: channel, model_name, group };
    row = { ...place, quota: 0, request_count: 0, prompt_tokens: 0, completion_tokens: 0 };
    hours.set(key, row);
  }
  addTo(row, log);
  for (const name of [`user ${user_id}`, `token ${token_id}`, `channel ${channel}`]) {
    let counter = sums.counters.get(name);
    if (counter === undefined) {
      counter = { quota: 0, request_count: 0, prompt_tokens: 0, completion_tokens: 0 };
      sums.counters.set(name, counter);
    }
    addTo(counter, log);
  }
}

function addTo(sum: Sum, log: Log): void {
  sum.quota += log.quota;
  sum.request_count += 1;
  sum.prompt_tokens += log.prompt_tokens;
  sum.completion_tokens += log.completion_tokens;
}

/** The bucket of the times to the first byte in which all seeded calls are counted. */
const firstByte = 3;

/** Returns the attempts of an hour by channel and model, and adds them to their day. */
function attemptsOf(rows: readonly HourRow[], { days }: Sums): Record<string, number | string>[] {
  const made = new Map<string, Record<string, number | string>>();
  const columns = [
    ...attemptCounts,
    ...Array.from({ length: firstByteBuckets }, (_, bucket) => `first_byte_${bucket}`),
  ];
  const none = Object.fromEntries(columns.map((name) => [name, 0]));
  for (const { hour, channel_id, model_name, request_count } of rows) {
    const day = Number(hour) - (Number(hour) % daySeconds);
    const place = { channel_id, model_name };
    for (const [map, time] of [
      [made, { hour: Number(hour) }],
      [days, { day }],
    ] as const) {
      const key = `${day} ${channel_id} ${model_name}`;
      const row = map.get(key) ?? { ...time, ...place, ...none };
      for (const name of ["attempts", "answered", `first_byte_${firstByte}`]) {
        row[name] = Number(row[name]) + request_count;
      }
      map.set(key, row);
    }
  }
  return [...made.values()];
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
    effort: "",
    losses: [],
    // Safe cast: the ledger wrote these columns from the same types.
    usage: JSON.parse(row.usage) as ChargedCallLog["usage"],
    usageSource: row.usage_source as ChargedCallLog["usageSource"],
    seenOutput: row.seen_output,
    priceVersion: row.price_version,
    price: {
      fixed: "",
      model: "1",
      completion: "1",
      group: "1",
      cache: "1",
      cacheCreation: "1.25",
      cacheHour: "2",
      audio: "20",
      audioCompletion: "2",
    },
    cost: row.cost,
    costVersion: row.cost_version,
    reportedCost: row.cost_reported,
    interrupted: "",
    doubt: "",
    hiddenOutput: false,
    quota: row.quota,
  };
}

type Place = { readonly number: number; readonly endSeconds: number };

/**
 * Makes a call. Its number decides user, token, model and channel by a hash, so that all pairs of
 * them occur.
 */
function callOf(
  { quota: _, ...pattern }: Pattern,
  { people, rows }: Seed,
  { number, endSeconds }: Place,
): ChargedCallLog {
  const ageSeconds = Math.floor(((rows - number) / rows) * days * daySeconds);
  const user = pick(number, 1) % userCount;
  const token = pick(number, 2) % tokensPerUser;
  const { channelIds, firstUser, firstToken } = people;
  return {
    ...pattern,
    requestId: `seed-${String(number).padStart(9, "0")}`,
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
