/** A database with users, tokens and prices, and helpers for tests of the ledger. */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import type { ModelCost } from "@tollgate/contract/endpoints/costs.ts";
import { sql } from "kysely";
import { type DatabaseAddress, openDatabase } from "#db/connection.ts";
import type { Db } from "#db/database.ts";
import type { Dialect } from "#db/dialect.ts";
import { openTestDatabase } from "#db/testing/database.ts";
import { addCosts, findCosts, makeCosts, openCosts } from "#modules/costs/costs.ts";
import { changePrices, installPrices } from "#modules/pricing/pricing.ts";
import { applyBatch } from "#modules/ledger/batch.ts";
import { openBalance, openTokenBalance, postEntry } from "#modules/ledger/ledger.ts";
import { endEpochs, joinNodes } from "#modules/ledger/nodes.ts";
import type { Operation, OperationResult, ReservationFacts } from "#modules/ledger/operations.ts";
import { releaseInterrupted } from "#modules/ledger/recovery.ts";
import { chargedLog } from "./calls.ts";

/** The time of everything that a test sets up, in Unix milliseconds. */
export const setUpMs = 1_763_700_000_000;

export type TestBooks = {
  readonly db: Db;
  readonly address: DatabaseAddress;
  /** Applies the operations as one batch, in one transaction, for the node `node-1`. */
  apply(operations: readonly Operation[], again?: "again"): Promise<OperationResult[]>;
  /**
   * Creates a user with this balance.
   * @returns the id.
   */
  addUser(name: string, balance: number): Promise<number>;
  /** Creates a token that may spend this much; for an unlimited token `granted` may be 0. */
  addToken(userId: number, name: string, granted: number): Promise<number>;
  /**
   * Creates a price version in which `parts` replace parts of the previous version. Version 1, with
   * the default prices, exists from the start.
   * @returns the id.
   */
  addPrices(parts: Partial<PriceList>): Promise<number>;
  /**
   * Creates a version of a channel's cost list.
   * @returns the list as calls have it.
   */
  addCosts(
    channelId: number,
    typed: Readonly<Record<string, ModelCost>>,
  ): Promise<ReturnType<typeof openCosts>>;
  credit(userId: number, amount: number, cause: string): Promise<void>;
  readUser(userId: number): Promise<{ balance: number; held: number; used: number }>;
  readToken(
    tokenId: number,
  ): Promise<{ granted: number; remain: number; used: number; held: number }>;
};

const openBooks: (() => Promise<void>)[] = [];

/** For `afterEach`: removes the test's databases. */
export async function closeTestBooks(): Promise<void> {
  await Promise.all(openBooks.splice(0).map(async (close) => await close()));
}

export async function openTestBooks(dialect: Dialect): Promise<TestBooks> {
  const { db, address, close } = await openTestDatabase(dialect);
  openBooks.push(close);
  await db.transaction().execute(async (tx) => await installPrices(tx, setUpMs));
  return {
    db,
    address,
    apply: async (operations, again) => await applyAs(db, "node-1", operations, again),
    addUser: async (name, balance) => await addUser(db, name, balance),
    addToken: async (userId, name, granted) => await addToken(db, userId, name, granted),
    addPrices: async (parts) => await addPrices(db, parts),
    addCosts: async (channelId, typed) => await addCostsTo(db, channelId, typed),
    credit: async (userId, amount, cause) => await credit(db, userId, amount, cause),
    readUser: async (userId) =>
      await db
        .selectFrom("balances")
        .select(["balance", "held", "used"])
        .where("user_id", "=", userId)
        .executeTakeFirstOrThrow(),
    readToken: async (tokenId) =>
      await db
        .selectFrom("token_balances")
        .select(["granted", "remain", "used", "held"])
        .where("token_id", "=", tokenId)
        .executeTakeFirstOrThrow(),
  };
}

/** Applies the operations as one batch, in one transaction, in the present epoch of a node. */
export async function applyAs(
  db: Db,
  nodeId: string,
  operations: readonly Operation[],
  again?: "again",
): Promise<OperationResult[]> {
  const epoch = await epochOf(db, nodeId);
  const batch = { nodeId, epoch, again: again !== undefined, operations };
  const answer = await db.transaction().execute(async (tx) => await applyBatch(tx, batch));
  if (answer === "fenced") throw new Error(`epoch ${epoch} of ${nodeId} has ended`);
  return [...answer];
}

/** Returns the current epoch of a node. A node that has none joins first. */
export async function epochOf(db: Db, nodeId: string): Promise<number> {
  const row = await db
    .selectFrom("nodes")
    .select("epoch")
    .where("id", "=", nodeId)
    .executeTakeFirst();
  return (
    row?.epoch ??
    (await db.transaction().execute(async (tx) => await joinNodes(tx, { nodeId, epoch: 0 })))
  );
}

/** Does what happens after the death of a node: ends its epoch, then releases its holds. */
export async function loseNode(db: Db, nodeId: string): Promise<number> {
  await db.transaction().execute(async (tx) => await endEpochs(tx, [nodeId], null));
  return await db.transaction().execute(async (tx) => await releaseInterrupted(tx, nodeId));
}

async function addUser(db: Db, username: string, balance: number): Promise<number> {
  const { id } = await db
    .insertInto("users")
    .values({
      username,
      password_hash: "",
      display_name: "",
      role: 1,
      status: 1,
      email: "",
      github_id: "",
      oidc_id: "",
      wechat_id: "",
      telegram_id: "",
      linux_do_id: "",
      group: "default",
      aff_code: username,
      inviter_id: 0,
      access_token_lookup: null,
      create_time: 0,
      DeletedAt: null,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await db.transaction().execute(async (tx) => await openBalance(tx, id));
  if (balance > 0) await credit(db, id, balance, `gift:${id}`);
  return id;
}

async function credit(db: Db, userId: number, amount: number, cause: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const kind = "admin_adjust";
    await postEntry(tx, { cause, kind, userId, amount, detail: "test", nowMs: setUpMs });
  });
}

async function addToken(db: Db, userId: number, name: string, granted: number): Promise<number> {
  const { id } = await db
    .insertInto("tokens")
    .values({
      user_id: userId,
      name,
      lookup: `${userId} ${name}`,
      sealed: "",
      hint: "",
      status: 1,
      created_time: 0,
      accessed_time: 0,
      expired_time: -1,
      unlimited_quota: 0,
      model_limits_enabled: 0,
      model_limits: "",
      allow_ips: "",
      deny_ips: "",
      rate_limit_count: 0,
      rate_limit_seconds: 60,
      rate_limit_message: "",
      mj_mode: "",
      mj_proxy_method: "",
      mj_proxy_address: "",
      mj_backup_pool: 0,
      chat_links: "",
      budget_day: 0,
      budget_week: 0,
      budget_month: 0,
      group: "",
      DeletedAt: null,
    })
    .returning("id")
    .executeTakeFirstOrThrow();
  await db.transaction().execute(async (tx) => await openTokenBalance(tx, id, granted));
  return id;
}

async function addPrices(db: Db, parts: Partial<PriceList>): Promise<number> {
  await db.transaction().execute(async (tx) => {
    await changePrices(tx, { parts, createdBy: 1, nowMs: setUpMs });
  });
  const { id } = await db
    .selectFrom("price_versions")
    .select("id")
    .orderBy("id", "desc")
    .executeTakeFirstOrThrow();
  return id;
}

async function addCostsTo(
  db: Db,
  channelId: number,
  typed: Readonly<Record<string, ModelCost>>,
): Promise<ReturnType<typeof openCosts>> {
  const made = makeCosts({ factor: null, catalogue: "", listed: {}, typed }, "500000");
  if (!made.ok) throw new Error(made.message);
  const version = { channelId, content: made.value, createdBy: 1, nowMs: setUpMs };
  await db.transaction().execute(async (tx) => await addCosts(tx, version));
  const row = (await findCosts(db, [channelId])).get(channelId);
  if (row === undefined) throw new Error("there is no cost list");
  return openCosts(row);
}

/** Makes the facts of a reservation of user 1 and token 1; `parts` override fields. */
export function facts(parts: Partial<ReservationFacts> = {}): ReservationFacts {
  return {
    id: "r1",
    userId: 1,
    tokenId: 1,
    tokenLimited: true,
    modelName: "gpt-4o",
    group: "default",
    atMs: setUpMs,
    ...parts,
  };
}

export function take(
  want: number,
  parts: Partial<ReservationFacts> & { readonly least?: number } = {},
): Operation {
  const { least = want, ...of } = parts;
  return { type: "take", facts: facts(of), want, least };
}

export function more(
  want: number,
  before: number,
  parts: Partial<ReservationFacts> = {},
): Operation {
  const { id, userId, tokenId, tokenLimited, budget } = facts(parts);
  return { type: "more", id, userId, tokenId, tokenLimited, before, want, budget };
}

export function settle(
  charge: number,
  parts: Partial<ReservationFacts> & { readonly charged?: number } = {},
): Operation {
  const { charged = null, ...of } = parts;
  const { id, userId, tokenId, tokenLimited, budget } = facts(of);
  const log = chargedLog({ requestId: id, userId, tokenId });
  return { type: "settle", id, tokenLimited, charge, charged, log, budget };
}

export function release(parts: Partial<ReservationFacts> = {}): Operation {
  const { id, userId, tokenId } = facts(parts);
  return { type: "release", id, userId, tokenId };
}

/**
 * Resolves when a transaction of this PostgreSQL database waits for a lock that another one holds.
 */
export async function waitForLock(address: DatabaseAddress): Promise<void> {
  const watch = openDatabase(address, "reader");
  for (let waiting = 0; waiting === 0;) {
    const { rows } = await sql`
      select 1 from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`.execute(watch.db);
    waiting = rows.length;
  }
  await watch.close();
}
