/**
 * The balance rows that a transaction of the ledger changes: read under lock, changed in memory,
 * written back once. The writing statement compares each row with the values that were read, so the
 * whole transaction fails if a row has changed since. The tables' check constraints refuse values
 * below zero.
 */

import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { lockRows, whole } from "#db/dialect.ts";
import { answersTo, inOrder } from "#db/pipeline.ts";
import { type Prepared, preparedOf } from "#db/prepared.ts";
import type { BalanceTable, TokenBalanceTable } from "#db/tables/ledger.ts";
import { isEpochLocked, type NodeEpoch } from "./nodes.ts";

type Loaded<Row> = { readonly before: Row; now: Row };

export type Accounts = {
  readonly users: ReadonlyMap<number, Loaded<BalanceTable>>;
  readonly tokens: ReadonlyMap<number, Loaded<TokenBalanceTable>>;
};

/**
 * Reads the balance rows of users and tokens, and locks them in order of id, users first, so that
 * two transactions cannot deadlock.
 * @param node the node that writes. The statement locks its epoch before the rows; if the epoch has
 * ended, it finds no user.
 */
export async function loadAccounts(
  tx: Db,
  userIds: Iterable<number>,
  tokenIds: Iterable<number>,
  node?: NodeEpoch,
): Promise<Accounts> {
  const users = [...new Set(userIds)].filter((id) => id > 0);
  const tokens = [...new Set(tokenIds)].filter((id) => id > 0);
  const prepared = preparedOf(tx);
  const [userRows, tokenRows] =
    prepared === undefined
      ? await answersTo([lockUsers(tx, users, node), lockTokens(tx, tokens)])
      : [readEach(prepared, userText, users), readEach(prepared, tokenText, tokens)];
  return {
    users: new Map(userRows.map((row) => [row.user_id, { before: row, now: { ...row } }])),
    tokens: new Map(tokenRows.map((row) => [row.token_id, { before: row, now: { ...row } }])),
  };
}

async function lockUsers(
  tx: Db,
  ids: readonly number[],
  node?: NodeEpoch,
): Promise<BalanceTable[]> {
  if (ids.length === 0) return [];
  const rows = tx.selectFrom("balances").selectAll().where("user_id", "in", ids);
  const inEpoch = node === undefined ? rows : rows.where(isEpochLocked(node));
  return await lockRows(tx, inEpoch.orderBy("user_id")).execute();
}

async function lockTokens(tx: Db, ids: readonly number[]): Promise<TokenBalanceTable[]> {
  if (ids.length === 0) return [];
  const rows = tx.selectFrom("token_balances").selectAll().where("token_id", "in", ids);
  return await lockRows(tx, rows.orderBy("token_id")).execute();
}

const userText: RowText<BalanceTable> = { text: "select * from balances where user_id = ?" };
const tokenText: RowText<TokenBalanceTable> = {
  text: "select * from token_balances where token_id = ?",
};

/**
 * The text of an SQL statement that returns rows of type `Row`; `row` only carries the type and is
 * never set.
 */
type RowText<Row> = { readonly text: string; readonly row?: Row };

function readEach<Row>(prepared: Prepared, { text }: RowText<Row>, ids: readonly number[]): Row[] {
  const rows: Row[] = [];
  for (const id of ids) {
    const row = prepared.get<Row>(text, id);
    if (row !== undefined) rows.push(row);
  }
  return rows;
}

/** Writes the changed rows back. Fails if a row no longer has the values that were read. */
export async function saveAccounts(tx: Db, accounts: Accounts): Promise<void> {
  await inOrder(tx, [
    async () => await saveUsers(tx, [...accounts.users.values()].filter(changed)),
    async () => await saveTokens(tx, [...accounts.tokens.values()].filter(changed)),
  ]);
}

function changed<Row extends object>({ before, now }: Loaded<Row>): boolean {
  for (const name in now) if (before[name] !== now[name]) return true;
  return false;
}

const saveUserText = `update balances set
  balance = balance + ?, held = held + ?, used = used + ?, debt = debt + ?, entry_count = ?,
  head_hash = ?
  where user_id = ? and entry_count = ?`;

const saveTokenText = `update token_balances set
  granted = granted + ?, remain = remain + ?, used = used + ?, held = held + ?
  where token_id = ? and used = ?`;

async function saveUsers(tx: Db, rows: readonly Loaded<BalanceTable>[]): Promise<void> {
  if (rows.length === 0) return;
  const prepared = preparedOf(tx);
  if (prepared !== undefined) {
    for (const { before, now } of rows) {
      const { changes } = prepared.run(saveUserText, [
        now.balance - before.balance,
        now.held - before.held,
        now.used - before.used,
        now.debt - before.debt,
        now.entry_count,
        now.head_hash,
        now.user_id,
        before.entry_count,
      ]);
      expectRows("balances", 1, BigInt(changes));
    }
    return;
  }
  const values = rows.map(
    ({ before, now }) => sql`(
      ${whole(now.user_id)}, ${whole(now.balance - before.balance)},
      ${whole(now.held - before.held)}, ${whole(now.used - before.used)},
      ${whole(now.entry_count)}, ${sql.val(now.head_hash)}, ${whole(before.entry_count)},
      ${whole(now.debt - before.debt)})`,
  );
  await expectingRows(
    "balances",
    rows.length,
    sql`
      update balances set
        balance = balance + v.column2, held = held + v.column3, used = used + v.column4,
        entry_count = v.column5, head_hash = v.column6, debt = debt + v.column8
      from (values ${sql.join(values)}) as v
      where user_id = v.column1 and entry_count = v.column7`,
  ).execute(tx);
}

async function saveTokens(tx: Db, rows: readonly Loaded<TokenBalanceTable>[]): Promise<void> {
  if (rows.length === 0) return;
  const prepared = preparedOf(tx);
  if (prepared !== undefined) {
    for (const { before, now } of rows) {
      const { changes } = prepared.run(saveTokenText, [
        now.granted - before.granted,
        now.remain - before.remain,
        now.used - before.used,
        now.held - before.held,
        now.token_id,
        before.used,
      ]);
      expectRows("token_balances", 1, BigInt(changes));
    }
    return;
  }
  const values = rows.map(
    ({ before, now }) => sql`(
      ${whole(now.token_id)}, ${whole(now.granted - before.granted)},
      ${whole(now.remain - before.remain)}, ${whole(now.used - before.used)},
      ${whole(now.held - before.held)}, ${whole(before.used)})`,
  );
  await expectingRows(
    "token_balances",
    rows.length,
    sql`
      update token_balances set
        granted = granted + v.column2, remain = remain + v.column3, used = used + v.column4,
        held = held + v.column5
      from (values ${sql.join(values)}) as v
      where token_id = v.column1 and used = v.column6`,
  ).execute(tx);
}

function expectRows(table: string, wanted: number, got: bigint): void {
  if (got !== BigInt(wanted)) throw new Error(`${table}: ${got} of ${wanted} ${asRead}`);
}

const asRead = "rows were as they had been read";

/**
 * Lets PostgreSQL itself fail with an error that says so when an update changes fewer rows than
 * wanted. The transaction may be committed before the answer to the update arrives, so checking the
 * answer would be too late.
 */
function expectingRows(
  table: string,
  wanted: number,
  update: RawBuilder<unknown>,
): RawBuilder<unknown> {
  // A text that is no number cannot be cast. It contains the count, so it is not cast earlier.
  return sql`
    with changed as (${update} returning 1)
    select case when count(*) = ${sql.lit(wanted)} then 0
      else cast(${sql.lit(`${table}: `)} || count(*) || ${sql.lit(` of ${wanted} ${asRead}`)} as int)
      end from changed`;
}

/** What a posting changed. */
export type Posted = {
  readonly balance: number;
  /** What was added to the balance, less what paid a debt; negative: what was taken from it. */
  readonly moved: number;
  /** The user's debt after it. */
  readonly debt: number;
  /** How much the debt has grown. */
  readonly owed: number;
};
