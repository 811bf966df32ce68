/**
 * The check T14 (see `proof.ts`): users, tokens, agents, closed days and top-ups in the log are what
 * the last entry of the audit log says of them, and none was added or removed without an entry. What
 * a token may spend follows from what the console has given to it, and the number of users that a
 * user has invited from the users.
 */

import { type RawBuilder, sql } from "kysely";
import type { Db } from "#db/database.ts";
import { notedAgent, notedDay } from "#modules/agents/agents.ts";
import {
  type NotedKind,
  parseState,
  readNoted,
  type RowState,
  stateText,
} from "#modules/audit/audit.ts";
import { type LogRow, notedLog, readLogWatermark } from "#modules/logs/logs.ts";
import { notedToken } from "#modules/tokens/tokens.ts";
import { notedUser } from "#modules/users/users.ts";
import { firstRow, type Flaw } from "./flaw.ts";

/** The number of rows that are read at a time. */
const pageSize = 2_000;

type Noted = {
  readonly id: number;
  readonly state: RowState;
  /** Compares what the entry says beside the row's columns; null: it is right. */
  readonly judge?: (last: RowState) => string | null;
};

type Kind = {
  readonly kind: NotedKind;
  readonly table: string;
  readonly key: string;
  readonly read: (after: number) => Promise<readonly Noted[]>;
  /** Holds for the rows of the kind that must have an entry, also where they are gone. */
  readonly lasts?: RawBuilder<unknown>;
};

export async function findNotedFlaw(db: Db): Promise<Flaw | null> {
  const watermark = await readLogWatermark(db);
  for (const kind of kindsOf(db, watermark)) {
    const flaw = (await walk(db, kind)) ?? (await findRemoved(db, kind));
    if (flaw !== null) return flaw;
  }
  return await findInviterFlaw(db);
}

function kindsOf(db: Db, watermark: number): readonly Kind[] {
  return [
    { kind: "user", table: "users", key: "id", read: async (after) => await pageUsers(db, after) },
    {
      kind: "token",
      table: "tokens",
      key: "id",
      read: async (after) => await pageTokens(db, after),
    },
    {
      kind: "agent",
      table: "agents",
      key: "user_id",
      read: async (after) => await pageAgents(db, after),
    },
    {
      kind: "closed_day",
      table: "dividend_days",
      key: "day",
      read: async (after) => await pageDays(db, after),
    },
    {
      kind: "log",
      table: "logs",
      key: "id",
      read: async (after) => await pageTopUps(db, after),
      // Rows up to the watermark may have been removed by a cleaning.
      lasts: sql`row_id > ${watermark}`,
    },
  ];
}

async function pageUsers(db: Db, after: number): Promise<readonly Noted[]> {
  const rows = await db
    .selectFrom("users")
    .selectAll()
    .where("id", ">", after)
    .orderBy("id")
    .limit(pageSize)
    .execute();
  return rows.map((row) => ({ id: row.id, state: notedUser(row) }));
}

async function pageTokens(db: Db, after: number): Promise<readonly Noted[]> {
  const rows = await db
    .selectFrom("tokens")
    .innerJoin("token_balances", "token_balances.token_id", "tokens.id")
    .selectAll("tokens")
    .select(["token_balances.granted", "token_balances.remain"])
    .where("tokens.id", ">", after)
    .orderBy("tokens.id")
    .limit(pageSize)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    state: notedToken(row),
    judge: (last) => judgeGiven(row, last),
  }));
}

/**
 * Calls of a token with a limit leave `granted` as it is, those of one without leave `remain`. Of a
 * token that was both, no more can remain than it was given.
 */
function judgeGiven(
  {
    granted,
    remain,
    unlimited_quota,
  }: Readonly<Record<"granted" | "remain" | "unlimited_quota", number>>,
  last: RowState,
): string | null {
  const given = Number(last["given"] ?? 0);
  const isRight =
    last["was_both"] === 1 ? remain <= given : given === (unlimited_quota === 1 ? remain : granted);
  return isRight ? null : `its quota is not the ${given} that the audit log says it was given`;
}

async function pageAgents(db: Db, after: number): Promise<readonly Noted[]> {
  const rows = await db
    .selectFrom("agents")
    .selectAll()
    .where("user_id", ">", after)
    .orderBy("user_id")
    .limit(pageSize)
    .execute();
  return rows.map(({ hash: _, ...row }) => ({ id: row.user_id, state: notedAgent(row) }));
}

async function pageDays(db: Db, after: number): Promise<readonly Noted[]> {
  const rows = await db
    .selectFrom("dividend_days")
    .select(["day", "closed_at"])
    .where("day", ">", after)
    .orderBy("day")
    .limit(pageSize)
    .execute();
  return rows.map((row) => ({ id: row.day, state: notedDay(row) }));
}

async function pageTopUps(db: Db, after: number): Promise<readonly Noted[]> {
  const rows: LogRow[] = await db
    .selectFrom("logs")
    .selectAll()
    // The first condition is that of an index.
    .where("type", "<>", 2)
    .where("type", "=", 1)
    .where("id", ">", after)
    .orderBy("id")
    .limit(pageSize)
    .execute();
  return rows.map((row) => ({ id: row.id, state: notedLog(row) }));
}

async function walk(db: Db, { kind, table, key, read }: Kind): Promise<Flaw | null> {
  for (let after = -1; ;) {
    const rows = await read(after);
    const noted = await readNoted(
      db,
      kind,
      rows.map(({ id }) => id),
    );
    for (const row of rows) {
      const reason = judgeRow(row, noted.get(row.id));
      if (reason !== null) return { check: "T14", table, row: `${key}=${row.id}`, reason };
    }
    after = rows.at(-1)?.id ?? after;
    if (rows.length < pageSize) return null;
  }
}

function judgeRow({ state, judge }: Noted, noted: string | undefined): string | null {
  // A day that is not closed yet has nothing to be noted.
  const now = stateText(state);
  if (noted === undefined) return now === "{}" ? null : "the audit log has no entry of it";
  const last = parseState(noted);
  const wrong = differing(parseState(now), last);
  if (wrong.length > 0) {
    return `${wrong.join(", ")}: not what the last entry of the audit log says`;
  }
  return judge?.(last) ?? null;
}

/** What entries say of a token that is not a column of it. */
const beside = ["given", "was_both"];

function differing(now: RowState, last: RowState): string[] {
  const names = new Set([...Object.keys(now), ...Object.keys(last)]);
  return [...names].filter((name) => !beside.includes(name) && now[name] !== last[name]).toSorted();
}

/** Finds a row that an entry tells of and that is gone. */
async function findRemoved(
  db: Db,
  { kind, table, key, lasts = sql`1 = 1` }: Kind,
): Promise<Flaw | null> {
  const ofType = kind === "log" ? sql`and type = 1` : sql``;
  const row = await firstRow(
    db,
    sql`
      select ${sql.lit(`${key}=`)} || row_id as "row" from audit_log
      where row_kind = ${sql.lit(kind)} and ${lasts} and not exists (
        select 1 from ${sql.table(table)}
        where ${sql.ref(`${table}.${key}`)} = audit_log.row_id ${ofType})
      order by audit_log.id limit 1`,
  );
  if (row === null) return null;
  return { check: "T14", table, row, reason: "is gone, and the audit log has an entry of it" };
}

/** Finds a user who has not invited as many users as the count says. */
async function findInviterFlaw(db: Db): Promise<Flaw | null> {
  const row = await firstRow(
    db,
    sql`
      select 'user_id=' || user_id as "row"
      from (
        select user_id, aff_count as one from affiliates
        union all
        select inviter_id, -1 from users where inviter_id > 0
      ) as both_sides
      group by user_id having sum(one) <> 0 order by user_id limit 1`,
  );
  if (row === null) return null;
  const reason = "aff_count is not the number of users whom the user has invited";
  return { check: "T14", table: "affiliates", row, reason };
}
