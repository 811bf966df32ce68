/** All queries that lists and pages about agents need. */

import {
  type Agent,
  agentState,
  type AnyWithdrawal,
  type Dividend,
  type Earning,
  type OwnAgent,
  type Withdrawal,
  withdrawalState,
} from "@tollgate/contract/endpoints/agents.ts";
import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
import type { Db } from "#db/database.ts";
import { type Paged, readPaged } from "#db/paging.ts";
import type { EarningAccount } from "#db/tables/ledger.ts";
import { startsWith } from "#db/text-search.ts";
import type { WithdrawalRow } from "./agents.ts";

const daySeconds = 86_400;

type OwnFigures = Pick<
  OwnAgent,
  "balance" | "earned" | "invitees" | "paid_money" | "paid_out" | "rate_bp" | "requested" | "state"
>;

/** Reads the figures of an agent, or of a user who could become one. */
export async function readAgent(db: Db, userId: number): Promise<OwnFigures> {
  const agent = await db
    .selectFrom("agents")
    .select(["state", "rate_bp"])
    .where("user_id", "=", userId)
    .executeTakeFirst();
  const purse = await db
    .selectFrom("earnings")
    .select(["balance", "requested", "earned"])
    .where("user_id", "=", userId)
    .where("account", "=", "purse")
    .executeTakeFirst();
  const { invitees } = await db
    .selectFrom("users")
    .select((eb) => eb.fn.countAll<number>().as("invitees"))
    .where("inviter_id", "=", userId)
    .executeTakeFirstOrThrow();
  const paid = await db
    .selectFrom("withdrawals")
    .select((eb) => [
      eb.fn.sum<number | null>("quota").as("quota"),
      eb.fn.sum<number | null>("money").as("money"),
    ])
    .where("user_id", "=", userId)
    .where("state", "=", "paid")
    .executeTakeFirstOrThrow();
  return {
    state: agent === undefined ? "none" : agentState.parse(agent.state),
    rate_bp: agent?.rate_bp ?? -1,
    invitees: Number(invitees),
    ...(purse ?? { balance: 0, requested: 0, earned: 0 }),
    paid_out: Number(paid.quota ?? 0),
    paid_money: Number(paid.money ?? 0),
  };
}

/** Who reads dividends: an agent does not learn who the invitees are. */
type DividendReader = "agent" | "root";

/** Reads one page of an agent's dividends, newest first. Days that earned nothing are left out. */
export async function pageDividends(
  db: Db,
  agentId: number,
  window: PageWindow,
  reader: DividendReader,
): Promise<Paged<Dividend>> {
  const query = db
    .selectFrom("dividends")
    .leftJoin("users", "users.id", "dividends.invitee_id")
    .where("agent_id", "=", agentId)
    .where("dividend", ">", 0);
  const { items: rows, total } = await readPaged(
    query
      .select(["day", "invitee_id", "users.username", "base", "rate_bp", "dividend"])
      .orderBy("day", "desc")
      .orderBy("invitee_id", "desc"),
    window,
  );
  const nameOf = (name: string) => (reader === "root" ? name : maskName(name));
  const items = rows.map(({ day, username, ...row }) => ({
    ...row,
    day: day * daySeconds,
    invitee: nameOf(username ?? ""),
  }));
  return { items, total };
}

/** Writes a name so that an agent tells invitees apart, and does not learn who they are. */
function maskName(name: string): string {
  const characters = [...name];
  return characters.length < 3
    ? `${characters[0] ?? ""}•••`
    : `${characters[0]}•••${characters.at(-1)}`;
}

/**
 * Reads one page of an account of earnings, newest first. The entries are numbered from 1 without
 * gaps, as those of a balance.
 */
export async function pageEarnings(
  db: Db,
  userId: number,
  account: EarningAccount,
  window: PageWindow,
): Promise<Paged<Earning>> {
  const found = await db
    .selectFrom("earnings")
    .select("entry_count")
    .where("user_id", "=", userId)
    .where("account", "=", account)
    .executeTakeFirst();
  const total = found?.entry_count ?? 0;
  const newest = total - (window.page - 1) * window.page_size;
  const rows = await db
    .selectFrom("earning_entries")
    .select(["seq", "kind", "amount", "requested", "balance_after", "requested_after"])
    .select(["cause", "created_at"])
    .where("user_id", "=", userId)
    .where("account", "=", account)
    .where("seq", "<=", newest)
    .where("seq", ">", newest - window.page_size)
    .orderBy("seq", "desc")
    .execute();
  const items = rows.map(({ cause, ...row }) => ({ ...row, about: aboutOf(row.kind, cause) }));
  return { items, total };
}

/** What an entry comes from, of its cause: a withdrawal's number, a day, an order. */
function aboutOf(kind: string, cause: string): string {
  const [, about = ""] = cause.split(":");
  if (kind === "dividend") return new Date(Number(about) * 86_400_000).toISOString().slice(0, 10);
  if (kind.startsWith("withdrawal")) return `#${about}`;
  return kind === "rebate" ? about : "";
}

export function showWithdrawal(row: WithdrawalRow): Withdrawal {
  const { id, quota, money, currency, payee, note, created_at, ended_at } = row;
  const state = withdrawalState.parse(row.state);
  return { id, state, quota, money, currency, payee, note, created_at, ended_at };
}

export async function pageOwnWithdrawals(
  db: Db,
  userId: number,
  window: PageWindow,
): Promise<Paged<Withdrawal>> {
  const query = db.selectFrom("withdrawals").where("user_id", "=", userId);
  const { items: rows, total } = await readPaged(query.selectAll().orderBy("id", "desc"), window);
  return { items: rows.map(showWithdrawal), total };
}

/** Which rows root's lists show: by the beginning of the user's name, and by state. */
type Filter = { readonly keyword: string; readonly state: string };

export async function pageWithdrawals(
  db: Db,
  { keyword, state }: Filter,
  window: PageWindow,
): Promise<Paged<AnyWithdrawal>> {
  let query = db
    .selectFrom("withdrawals")
    .leftJoin("users", "users.id", "withdrawals.user_id")
    .leftJoin("balances", "balances.user_id", "withdrawals.user_id");
  if (keyword !== "") query = query.where(startsWith("users.username", keyword));
  if (state !== "") query = query.where("withdrawals.state", "=", state);
  const { items: rows, total } = await readPaged(
    query
      .selectAll("withdrawals")
      .select(["users.username", "balances.debt"])
      .orderBy("withdrawals.id", "desc"),
    window,
  );
  const items = rows.map(({ username, debt, ...row }) => ({
    ...showWithdrawal(row),
    user_id: row.user_id,
    username: username ?? "",
    debt: debt ?? 0,
  }));
  return { items, total };
}

export async function pageAgents(
  db: Db,
  { keyword, state }: Filter,
  window: PageWindow,
): Promise<Paged<Agent>> {
  let query = db
    .selectFrom("agents")
    .innerJoin("users", "users.id", "agents.user_id")
    .leftJoin("earnings", (join) =>
      join.onRef("earnings.user_id", "=", "users.id").on("earnings.account", "=", "purse"),
    );
  if (keyword !== "") query = query.where(startsWith("users.username", keyword));
  if (state !== "") query = query.where("agents.state", "=", state);
  const { items: rows, total } = await readPaged(
    query
      .select(["users.id", "users.username", "agents.state", "agents.rate_bp"])
      .select(["agents.requested_at", "agents.approved_at"])
      .select((eb) => [
        eb.fn.coalesce("earnings.balance", eb.lit(0)).as("balance"),
        eb.fn.coalesce("earnings.requested", eb.lit(0)).as("requested"),
        eb.fn.coalesce("earnings.earned", eb.lit(0)).as("earned"),
        eb
          .selectFrom("users as invitee")
          .select((inner) => inner.fn.countAll<number>().as("count"))
          .whereRef("invitee.inviter_id", "=", "users.id")
          .as("invitees"),
      ])
      .orderBy((eb) => eb.case().when("agents.state", "=", "requested").then(0).else(1).end())
      .orderBy("agents.requested_at", "desc")
      .orderBy("users.id", "desc"),
    window,
  );
  const items = rows.map((row) => ({
    ...row,
    state: agentState.parse(row.state),
    invitees: Number(row.invitees ?? 0),
  }));
  return { items, total };
}
