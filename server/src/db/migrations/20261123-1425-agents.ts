import { type Kysely, sql } from "kysely";
import { hashText } from "#base/secrets.ts";
import { addId, createTable, type Dialect, wholeMax, wholeType } from "#db/dialect.ts";
import { index, texts, wholes } from "./20261121-1500-foundation.ts";

/** The largest number of accounts that one statement inserts. */
const batchRows = 500;

/**
 * Adds accounts of what users earn, with chained entries, moves the earnings of invitations there,
 * and adds agents with their dividends and withdrawals.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await createEarnings(db, dialect);
  await moveInvitations(db);
  await keepCounts(db, dialect);
  await createAgents(db, dialect);
  await createPayouts(db, dialect);
  // Lists of money leave out calls, of which there are many more.
  await db.schema
    .createIndex("entries_money")
    .on("entries")
    .columns(["user_id", "seq"])
    .where(sql<boolean>`kind not in ('settle', 'reversal', 'refund')`)
    .execute();
  await db.schema
    .createIndex("users_inviter")
    .on("users")
    .columns(["inviter_id", "id"])
    .where(sql<boolean>`inviter_id > 0`)
    .execute();
}

async function createEarnings(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(createTable(db, dialect, "earnings"), whole, [
    "user_id",
    "balance",
    "requested",
    "earned",
    "entry_count",
  ])
    .$call(texts("account", "head_hash"))
    .addPrimaryKeyConstraint("earnings_key", ["user_id", "account"] as never[])
    .execute();
  const signed = (name: string) =>
    sql<boolean>`${sql.ref(name)} between ${sql.lit(-wholeMax)} and ${sql.lit(wholeMax)}`;
  await wholes(createTable(db, dialect, "earning_entries"), whole, [
    "user_id",
    "seq",
    "balance_after",
    "requested_after",
    "created_at",
  ])
    .addColumn("cause", "text", (column) => column.notNull().unique())
    .addColumn("amount", whole, (column) => column.notNull().check(signed("amount")))
    .addColumn("requested", whole, (column) => column.notNull().check(signed("requested")))
    .$call(texts("account", "kind", "detail", "hash"))
    .addPrimaryKeyConstraint("earning_entries_chain", ["user_id", "account", "seq"] as never[])
    .execute();
}

type Earned = { user_id: number; aff_quota: number; aff_history_quota: number };

/** Writes what each inviter earned and has moved to the balance as the first entries. */
async function moveInvitations(db: Kysely<unknown>): Promise<void> {
  const createdAt = Math.floor(Date.now() / 1_000);
  let last = 0;
  for (;;) {
    const { rows } = await sql<Earned>`
      select user_id, aff_quota, aff_history_quota from affiliates
      where user_id > ${last} and aff_history_quota > 0 order by user_id limit ${batchRows}
    `.execute(db);
    const final = rows.at(-1);
    if (final === undefined) break;
    last = final.user_id;
    const chains = rows.map((row) => chainOf(row, createdAt));
    const entries = chains.flat().map(
      (entry) => sql`(
        ${entry.user_id}, ${entry.account}, ${entry.seq}, ${entry.cause}, ${entry.kind},
        ${entry.amount}, 0, ${entry.balance_after}, 0, '', ${entry.created_at}, ${entry.hash})`,
    );
    await sql`
      insert into earning_entries (user_id, account, seq, cause, kind, amount, requested,
        balance_after, requested_after, detail, created_at, hash)
      values ${sql.join(entries)}`.execute(db);
    const accounts = rows.map((row, at) => {
      const chain = chains[at] ?? [];
      return sql`(
        ${row.user_id}, 'invitations', ${row.aff_quota}, 0, ${row.aff_history_quota},
        ${chain.length}, ${chain.at(-1)?.hash ?? ""})`;
    });
    await sql`
      insert into earnings
        (user_id, account, balance, requested, earned, entry_count, head_hash)
      values ${sql.join(accounts)}`.execute(db);
  }
}

function chainOf({ user_id, aff_quota, aff_history_quota }: Earned, created_at: number) {
  const moved = aff_history_quota - aff_quota;
  const steps = [
    { cause: `invited:${user_id}`, kind: "invite", amount: aff_history_quota },
    ...(moved === 0 ? [] : [{ cause: `moved:${user_id}`, kind: "transfer", amount: -moved }]),
  ];
  let hash = "";
  let balance_after = 0;
  return steps.map((step, at) => {
    balance_after += step.amount;
    const entry = { user_id, account: "invitations", seq: at + 1, ...step, balance_after };
    hash = hashText(
      JSON.stringify([
        hash,
        user_id,
        entry.account,
        entry.seq,
        step.cause,
        step.kind,
        step.amount,
        0,
        balance_after,
        0,
        "",
        created_at,
      ]),
    );
    return { ...entry, created_at, hash };
  });
}

/** Makes the table of invitations anew, because SQLite cannot drop columns with a check. */
async function keepCounts(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await sql`alter table affiliates rename to affiliates_before`.execute(db);
  await wholes(createTable(db, dialect, "affiliates"), wholeType(dialect), ["user_id", "aff_count"])
    .addPrimaryKeyConstraint("affiliates_by_user", ["user_id"] as never[])
    .execute();
  await sql`
    insert into affiliates (user_id, aff_count) select user_id, aff_count from affiliates_before
  `.execute(db);
  await sql`drop table affiliates_before`.execute(db);
}

async function createAgents(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(createTable(db, dialect, "agents"), whole, [
    "user_id",
    "requested_at",
    "approved_at",
  ])
    .addColumn("rate_bp", whole, (column) =>
      column.notNull().check(sql`rate_bp between -1 and 10000`),
    )
    .$call(texts("state"))
    .addPrimaryKeyConstraint("agents_key", ["user_id"] as never[])
    .execute();
  await wholes(createTable(db, dialect, "agent_invitees"), whole, [
    "invitee_id",
    "spent_before",
    "counted",
  ])
    .addPrimaryKeyConstraint("agent_invitees_key", ["invitee_id"] as never[])
    .execute();
}

async function createPayouts(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const whole = wholeType(dialect);
  await wholes(createTable(db, dialect, "dividends"), whole, [
    "day",
    "invitee_id",
    "agent_id",
    "spent",
    "paid",
    "base",
    "rate_bp",
    "dividend",
    "created_at",
  ])
    .addPrimaryKeyConstraint("dividends_key", ["day", "invitee_id"] as never[])
    .execute();
  await index(db, "dividends", ["agent_id", "day", "invitee_id"]);
  await wholes(createTable(db, dialect, "dividend_days"), whole, [
    "day",
    "claimed_until",
    "closed_at",
  ])
    .$call(texts("claimed_by"))
    .addPrimaryKeyConstraint("dividend_days_key", ["day"] as never[])
    .execute();
  await wholes(addId(dialect, createTable(db, dialect, "withdrawals")), whole, [
    "user_id",
    "quota",
    "money",
    "created_at",
    "ended_at",
    "ended_by",
  ])
    .$call(texts("currency", "price", "quota_per_unit", "payee", "state", "note"))
    .execute();
  await index(db, "withdrawals", ["user_id", "id"]);
  await index(db, "withdrawals", ["state", "id"]);
}
