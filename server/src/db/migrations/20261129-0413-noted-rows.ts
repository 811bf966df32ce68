import { createHash } from "node:crypto";
import { type Kysely, sql } from "kysely";
import { type Dialect, wholeMax, wholeType } from "#db/dialect.ts";
import { index } from "./20261121-1500-foundation.ts";

type Value = number | string | null;
type Row = Readonly<Record<string, Value>> & { readonly id: number };

/** The settings of a token, as they were when this was written. */
const settings = (
  "name expired_time unlimited_quota model_limits_enabled model_limits allow_ips deny_ips " +
  "rate_limit_count rate_limit_seconds rate_limit_message mj_mode mj_proxy_method " +
  "mj_proxy_address mj_backup_pool chat_links budget_day budget_week budget_month group"
).split(" ");

const ofTokens = "user_id lookup sealed hint old_lookup old_hint old_ends_at created_time DeletedAt"
  .split(" ")
  .concat(settings);

const ofUsers = ["username", "role", "status", "group", "aff_code", "inviter_id", "DeletedAt"];

const ofLogs = (
  "request_id created_at type user_id username token_id token_name channel model_name group quota " +
  "write_off prompt_tokens completion_tokens use_time is_stream content other client_ip usage " +
  "usage_source price_version losses"
).split(" ");

const ofAgents = ["state", "rate_bp", "requested_at", "approved_at"];

const stateOf = (columns: readonly string[]) => (row: Row) =>
  columns.map((name) => [name, row[name] ?? null] as const);

/** The kinds of rows that are noted, and how to read those that are there. */
const kinds = [
  {
    kind: "user",
    rows: sql`select * from users`,
    read: stateOf(ofUsers),
  },
  {
    // A task may have held quota of the token when it had a limit and has none now, or the other
    // way round: what is given back of it then changes another amount than the calls of today do.
    kind: "token",
    rows: sql`
      select tokens.*, token_balances.granted, token_balances.remain,
        case when exists (
          select 1 from tasks
          where tasks.token_id = tokens.id and tasks.token_limited = tokens.unlimited_quota)
        then 1 else 0 end as was_both
      from tokens inner join token_balances on token_balances.token_id = tokens.id`,
    read: (row: Row) => {
      const isUnlimited = row["unlimited_quota"] === 1 && row["was_both"] === 0;
      return [
        ...stateOf(ofTokens)(row),
        ["is_disabled", row["status"] === 2 ? 1 : 0],
        ["given", (isUnlimited ? row["remain"] : row["granted"]) ?? 0],
        ["was_both", row["was_both"] ?? 0],
      ] as const;
    },
  },
  {
    kind: "agent",
    rows: sql`select agents.*, user_id as id from agents`,
    read: stateOf(ofAgents),
  },
  {
    kind: "closed_day",
    rows: sql`select day as id, closed_at from dividend_days where closed_at > 0`,
    read: stateOf(["closed_at"]),
  },
  {
    kind: "log",
    // The first condition is that of an index.
    rows: sql`select * from logs where type <> 2 and type = 1`,
    read: (row: Row) => {
      const values = [row.id, ...ofLogs.map((name) => row[name] ?? null)];
      return [["hash", sha256(JSON.stringify(values))]] as const;
    },
  },
];

/** The number of rows that are read at a time. */
const pageRows = 500;

/** The longest text that is noted as it is. */
const textMax = 40;

/**
 * Lets the entries of the audit log prove rows: users, tokens, agents, closed days and top-ups in
 * the log. Those that are there get an entry each.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  const alter = () => db.schema.alterTable("audit_log");
  for (const name of ["row_kind", "row_state"]) {
    await alter()
      .addColumn(name, "text", (column) => column.notNull().defaultTo(""))
      .execute();
  }
  await alter()
    .addColumn("row_id", wholeType(dialect), (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`row_id between 0 and ${sql.lit(wholeMax)}`),
    )
    .execute();
  await index(db, "audit_log", ["row_kind", "row_id", "id"]);
  const chain = await readHead(db);
  for (const { kind, rows, read } of kinds) {
    for (let after = -1; ;) {
      const page = await sql<Row>`
        select * from (${rows}) as present where id > ${after} order by id limit ${pageRows}
      `.execute(db);
      await note(
        db,
        chain,
        kind,
        page.rows.map((row) => ({ id: row.id, state: textOf(read(row)) })),
      );
      after = page.rows.at(-1)?.id ?? after;
      if (page.rows.length < pageRows) break;
    }
  }
  if (!chain.isLonger) return;
  const value = `${chain.count} ${chain.hash}`;
  await sql`
    insert into meta (key, value) values ('audit_head', ${value})
    on conflict (key) do update set value = excluded.value`.execute(db);
}

type Chain = { count: number; hash: string; isLonger: boolean };

async function readHead(db: Kysely<unknown>): Promise<Chain> {
  const { rows } = await sql<{ value: string }>`
    select value from meta where key = 'audit_head'`.execute(db);
  const [count = "0", hash = ""] = (rows[0]?.value ?? "").split(" ");
  return { count: Number(count), hash, isLonger: false };
}

/** Appends an entry for each row to the audit log. */
async function note(
  db: Kysely<unknown>,
  chain: Chain,
  kind: string,
  rows: readonly { readonly id: number; readonly state: string }[],
): Promise<void> {
  if (rows.length === 0) return;
  const createdAt = Math.floor(Date.now() / 1_000);
  const values = rows.map(({ id, state }) => {
    const texts = ["", "", "row.begin", "", ""] as const;
    const entry = [chain.hash, createdAt, 0, ...texts, kind, id, state];
    chain.hash = sha256(JSON.stringify(entry));
    chain.count += 1;
    return sql`(${createdAt}, 0, '', '', 'row.begin', '', '', ${kind}, ${id}, ${state}, ${chain.hash})`;
  });
  chain.isLonger = true;
  await sql`
    insert into audit_log (created_at, actor_id, actor_name, client_ip, action, target, detail,
      row_kind, row_id, row_state, hash)
    values ${sql.join(values)}`.execute(db);
}

function textOf(values: readonly (readonly [string, Value])[]): string {
  const kept = values.filter(([, value]) => value !== 0 && value !== "" && value !== null);
  const short = kept.map(([name, value]) => [name, shortOf(value)] as const);
  return JSON.stringify(Object.fromEntries(short.toSorted(([a], [b]) => (a < b ? -1 : 1))));
}

function shortOf(value: Value): Value {
  return typeof value === "string" && value.length > textMax ? `#${sha256(value)}` : value;
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
