/**
 * A process with the ledger of the product, its threads and its database, which makes calls until it
 * is killed, or only recovers what the one before it has left.
 */

import { writeSync } from "node:fs";
import { openLogger } from "#base/logger.ts";
import { type DatabaseAddress, openDatabase } from "#db/connection.ts";
import { booksClock, openBooks } from "#modules/ledger/journal/books.ts";
import { openWriteRing } from "#modules/ledger/lost/write-ring.ts";
import { openLedger, type OpenLedger } from "#modules/ledger/open-ledger.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { openStoreClient } from "#workers/store-client.ts";

/** At which statement the process dies. */
export type KillPoint = {
  /** A pattern of its text. */
  readonly statement: string;
  readonly when: "after" | "before";
  /** The how many-th of them it is. */
  readonly nth: number;
  /** Only those count that come after one of this pattern; absent: all. */
  readonly behind?: string;
};

/** What the process is to do. */
export type KillTask = {
  readonly address: DatabaseAddress;
  readonly dataDir: string;
  /** The first ids of its calls; empty: it makes none. */
  readonly prefix: string;
  /** What each call costs. */
  readonly charge: number;
};

const rounds = 30;
const callsPerRound = 8;
/** Longer than a reservation waits for its row. */
const reservedMs = 30;

async function main({ address, dataDir, prefix, charge }: KillTask): Promise<void> {
  const books = openBooks(booksClock);
  const workers = {
    writer: () => new Worker(new URL("journal-kills.worker.ts", import.meta.url)),
    reader: () => new Worker(new URL("../../../src/workers/reader.worker.ts", import.meta.url)),
    apart: () => new Worker(new URL("../../../src/workers/apart.worker.ts", import.meta.url)),
  };
  const stores = await openStoreClient(address, (mode) => workers[mode](), {
    onDeath(reason) {
      throw new Error(reason);
    },
    onWritten() {},
    behindBooks: (kind) => (kind === "read" ? books.readBarrier() : books.barrier()),
  });
  const ledger = await openLedger({
    dialect: address.dialect,
    store: stores.ledger,
    dataDir,
    log: openLogger("silent"),
    books,
    writes: openWriteRing(Date.now),
    reload: async () => {},
    tellLoss: async () => {},
    tellRefused: async () => {},
  });
  while (!ledger.ready()) await Bun.sleep(20);
  if (prefix !== "") await makeCalls(ledger, prefix, charge);
  await ledger.queue.drained();
  await books.barrier();
  if (prefix === "") await releaseAll(ledger, address);
  await stores.close();
  process.exit(0);
}

/** How often it is looked, once a second, whether a reservation is left: a node is soon taken for dead. */
const looksMax = 25;

/**
 * Waits until the reservations of all dead processes are released, also of those that died while
 * they released the reservations of another one.
 */
async function releaseAll({ jobs }: OpenLedger, address: DatabaseAddress): Promise<void> {
  const { db, close } = openDatabase(address, "reader");
  for (let look = 0; look < looksMax; look += 1) {
    const left = await db.selectFrom("reservations").select("id").executeTakeFirst();
    if (left === undefined) break;
    for (const { name, run } of jobs) {
      if (name === "heartbeat" || name === "release-lost-nodes") await run();
    }
    await Bun.sleep(1_000);
  }
  await close();
}

async function makeCalls(
  { holds, queue }: OpenLedger,
  prefix: string,
  charge: number,
): Promise<void> {
  const reserve = async (id: string) => {
    const answer = await holds.reserve({
      id,
      userId: 1,
      tokenId: 1,
      tokenLimited: true,
      modelName: "gpt-4o",
      group: "default",
      want: charge + 3,
      least: charge + 3,
    });
    if (answer.kind !== "held") throw new Error(`not held but ${answer.kind}`);
    return answer.hold;
  };
  // Runs until the process dies, so it must be free.
  await reserve(`${prefix}-open`);
  void tellStored(queue, `${prefix}-open`);
  for (let round = 0; round < rounds; round += 1) {
    const ids = Array.from({ length: callsPerRound }, (_, index) => `${prefix}-${round}-${index}`);
    await Promise.all(
      ids.map(async (id) => {
        const hold = await reserve(id);
        const log = chargedLog({ requestId: id, createdAt: Math.floor(Date.now() / 1_000) });
        const { charged } = await hold.settle({ charge, log });
        writeSync(1, `told ${id} ${charged}\n`);
      }),
    );
    await Bun.sleep(10);
  }
}

/** Says when the row of a reservation is stored, for which it waits some milliseconds. */
async function tellStored(queue: OpenLedger["queue"], id: string): Promise<void> {
  await Bun.sleep(reservedMs);
  await queue.drained();
  writeSync(1, `open ${id}\n`);
}

if (import.meta.main) {
  // Safe cast: the test has written it.
  await main(JSON.parse(process.argv[2] ?? "") as KillTask);
}
