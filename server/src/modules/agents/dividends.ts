/**
 * Dividends: what an agent earns by each invitee in each UTC day. A day is closed once: a run claims
 * it, computes its dividends page by page, each in one transaction that holds the day's row, and
 * closes it with the last page. Whoever dies between two pages leaves a claim that ends; the next run
 * begins the day again and passes what is already there.
 */

import { type RawBuilder, sql } from "kysely";
import { unixSeconds } from "#base/clock.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { postEarning, rerateCauseOf } from "#modules/ledger/ledger.ts";
import { tellMoney } from "#modules/notifications/notifications.ts";
import { userStatus } from "@tollgate/contract/endpoints/users.ts";
import {
  type DividendRow,
  dividendCause,
  dividendHash,
  inviteeHash,
  noteClosedDay,
  shareOf,
} from "./agents.ts";

const daySeconds = 86_400;
const hourSeconds = 3_600;

/** For how long a run may be silent before another takes the day over, in seconds. */
const claimSeconds = 60;

/** The number of invitees whose dividends one transaction computes. */
const pageMax = 100;

/**
 * Returns the oldest day before `today` that is not closed; undefined: there is none, or no agent.
 * @param today the number of a UTC day since 1970.
 */
export async function findOpenDay(db: Db, today: number): Promise<number | undefined> {
  const first = await db
    .selectFrom("agents")
    .select((eb) => eb.fn.min<number | null>("approved_at").as("at"))
    .where("approved_at", ">", 0)
    .executeTakeFirstOrThrow();
  if (first.at === null) return undefined;
  const last = await db
    .selectFrom("dividend_days")
    .select((eb) => eb.fn.max<number | null>("day").as("day"))
    .where("closed_at", ">", 0)
    .executeTakeFirstOrThrow();
  const next = Math.floor(Number(first.at) / daySeconds);
  const day = last.day === null ? next : Math.max(next, Number(last.day) + 1);
  return day < today ? day : undefined;
}

/** A run that closes a day. */
type Run = {
  readonly day: number;
  /** Random text of the run. */
  readonly by: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** Claims a day for a run; false: another run has it, or it is closed. */
export async function claimDay(tx: Db, { day, by, nowMs }: Run): Promise<boolean> {
  const now = unixSeconds(nowMs);
  const claim = { claimed_by: by, claimed_until: now + claimSeconds };
  const claimed = await tx
    .insertInto("dividend_days")
    .values({ day, ...claim, closed_at: 0 })
    .onConflict((conflict) =>
      conflict
        .column("day")
        .doUpdateSet(claim)
        .where("dividend_days.closed_at", "=", 0)
        .where("dividend_days.claimed_until", "<=", now),
    )
    .returning("day")
    .executeTakeFirst();
  return claimed !== undefined;
}

type Rates = {
  /** The rate of agents without one of their own, in hundredths of a per cent. */
  readonly rateBp: number;
  /** Whether agents earn at all at present. */
  readonly enabled: boolean;
};

type PageDone = {
  /** The last invitee of the page; null: the day is closed. */
  readonly last: number | null;
  readonly dividends: number;
  readonly quota: number;
};

/**
 * Computes the dividends of the next invitees after the one with id `after`, and closes the day when
 * there are no more. Undefined: the claim has ended.
 */
export async function payDividends(
  tx: Db,
  run: Run & Rates & { readonly after: number },
): Promise<PageDone | undefined> {
  const { day, by, nowMs, after } = run;
  const now = unixSeconds(nowMs);
  const query = tx.selectFrom("dividend_days").selectAll().where("day", "=", day);
  const claim = await lockRows(tx, query).executeTakeFirst();
  if (claim === undefined || claim.claimed_by !== by || claim.closed_at > 0) return undefined;
  const end = (day + 1) * daySeconds;
  const invitees = await nextInvitees(tx, after, end);
  const sums = await readSums(
    tx,
    invitees.map(({ id }) => id),
    end,
  );
  const dividends = invitees.flatMap((invitee) => dividendOf(invitee, sums, run) ?? []);
  const done = { dividends: 0, quota: 0 };
  for (const { row, invitee } of dividends) {
    if (!(await storeDividend(tx, row, invitee, nowMs)) || row.dividend === 0) continue;
    done.dividends += 1;
    done.quota += row.dividend;
  }
  const last = invitees.length < pageMax ? null : (invitees.at(-1)?.id ?? null);
  await tx
    .updateTable("dividend_days")
    .set({ claimed_until: now + claimSeconds, closed_at: last === null ? now : 0 })
    .where("day", "=", day)
    .execute();
  if (last === null) {
    await tellAgents(tx, day);
    await noteClosedDay(tx, { day, closed_at: now }, nowMs);
  }
  return { last, ...done };
}

/** Tells agents what they have earned in a day that is closed, each once. */
async function tellAgents(tx: Db, day: number): Promise<void> {
  const earned = await tx
    .selectFrom("dividends")
    .select((eb) => ["agent_id", eb.fn.sum<number>("dividend").as("quota")])
    .where("day", "=", day)
    .where("dividend", ">", 0)
    .groupBy("agent_id")
    .orderBy("agent_id")
    .execute();
  for (const { agent_id: userId, quota } of earned) {
    const cause = `dividends:${day}:${userId}`;
    await tellMoney(tx, { cause, userId, event: "dividend", quota: Number(quota), money: "" });
  }
}

type Invitee = Awaited<ReturnType<typeof nextInvitees>>[number];

async function nextInvitees(tx: Db, after: number, end: number) {
  return await tx
    .selectFrom("users")
    .innerJoin("agents", "agents.user_id", "users.inviter_id")
    .innerJoin("users as owner", "owner.id", "agents.user_id")
    .leftJoin("agent_invitees as known", "known.invitee_id", "users.id")
    .select(["users.id", "agents.user_id as agent_id", "agents.state", "agents.rate_bp"])
    .select("owner.status")
    .select((eb) => [
      eb.fn.coalesce("known.counted", eb.lit(0)).as("counted"),
      eb.fn.coalesce("known.spent_before", eb.lit(0)).as("spent_before"),
    ])
    .where("users.id", ">", after)
    .where("agents.approved_at", ">", 0)
    .where("agents.approved_at", "<", end)
    .where("owner.DeletedAt", "is", null)
    .whereRef("users.id", "<>", "agents.user_id")
    .orderBy("users.id")
    .limit(pageMax)
    .execute();
}

type Sums = {
  readonly spent: ReadonlyMap<number, number>;
  readonly paid: ReadonlyMap<number, number>;
};

/** Reads what users have spent and paid since their agents were approved, before `end`. */
async function readSums(tx: Db, ids: readonly number[], end: number): Promise<Sums> {
  if (ids.length === 0) return { spent: new Map(), paid: new Map() };
  const list = sql.join(ids);
  const agent = sql`
    inner join users on users.id = part.user_id
    inner join agents on agents.user_id = users.inviter_id`;
  const spent = await sums(
    tx,
    sql`
      select part.user_id as id, sum(part.quota) as quota
      from (
        select user_id, quota, hour as at from usage_hours
        where user_id in (${list}) and hour < ${end}
        union all
        ${reratedLater(list, end)}
      ) as part ${agent}
      where part.at >= agents.approved_at - agents.approved_at % ${sql.lit(hourSeconds)}
      group by part.user_id`,
  );
  const paid = await sums(
    tx,
    sql`
      select part.user_id as id, sum(part.quota) as quota
      from (
        select user_id, quota, paid_at as at from orders
        where user_id in (${list}) and paid_at > 0
        union all
        select used_user_id, quota, redeemed_time from redemptions
        where used_user_id in (${list}) and redeemed_time > 0
        union all
        select orders.user_id, -refund.quota, orders.paid_at
        from order_refunds as refund inner join orders on orders.id = refund.order_id
        where orders.user_id in (${list}) and refund.state <> 'refused'
      ) as part ${agent}
      where part.at >= agents.approved_at and part.at < ${end}
      group by part.user_id`,
  );
  return { spent, paid };
}

/**
 * What calls before `end` were charged more when they were charged again after it, with the sign
 * turned: a re-rate counts on the day on which it was made, and the hours have it already.
 */
function reratedLater(list: RawBuilder<unknown>, end: number): RawBuilder<unknown> {
  // The first condition is that of an index.
  return sql`
    select given.user_id, given.amount - given.debt, settled.created_at
    from entries as given
    inner join entries as settled on settled.cause in (
      'settle:' || substr(given.cause, ${sql.lit(rerateCauseOf(0, "").length + 1)}),
      'again:' || substr(given.cause, ${sql.lit(rerateCauseOf(0, "").length + 1)}))
    where given.kind not in ('settle', 'reversal', 'refund') and given.kind = 'rerate'
      and given.user_id in (${list}) and given.created_at >= ${end} and settled.created_at < ${end}`;
}

async function sums(tx: Db, query: RawBuilder<unknown>): Promise<Map<number, number>> {
  const { rows } = await query.$castTo<{ id: number; quota: number }>().execute(tx);
  return new Map(rows.map(({ id, quota }) => [Number(id), Number(quota)]));
}

/** Computes a dividend; undefined: nothing new was spent and paid, or not enough for a unit. */
function dividendOf(
  invitee: Invitee,
  sums: Sums,
  run: Run & Rates,
): { readonly row: DividendRow; readonly invitee: Invitee } | undefined {
  const spent = Math.max(0, (sums.spent.get(invitee.id) ?? 0) - Number(invitee.spent_before));
  const paid = Math.max(0, sums.paid.get(invitee.id) ?? 0);
  const base = Math.min(spent, paid) - Number(invitee.counted);
  if (base <= 0) return undefined;
  const earns =
    run.enabled && invitee.state === "approved" && invitee.status === userStatus.enum.enabled;
  const ownRate = invitee.rate_bp < 0 ? run.rateBp : invitee.rate_bp;
  const rate_bp = earns ? ownRate : 0;
  const dividend = shareOf(base, rate_bp);
  // Too little for a unit: it is counted once it is enough. An agent that earns nothing in this day
  // does not earn it later either.
  if (dividend === 0 && rate_bp > 0) return undefined;
  const row = {
    day: run.day,
    invitee_id: invitee.id,
    agent_id: invitee.agent_id,
    spent,
    paid,
    base,
    rate_bp,
    dividend,
    created_at: unixSeconds(run.nowMs),
  };
  return { row: { ...row, hash: dividendHash(row) }, invitee };
}

/** Stores a dividend and credits it; false: it is already there. */
async function storeDividend(
  tx: Db,
  row: DividendRow,
  invitee: Invitee,
  nowMs: number,
): Promise<boolean> {
  const stored = await tx
    .insertInto("dividends")
    .values(row)
    .onConflict((conflict) => conflict.columns(["day", "invitee_id"]).doNothing())
    .returning("day")
    .executeTakeFirst();
  if (stored === undefined) return false;
  // The row of the day is locked, so nothing else counts this invitee meanwhile.
  const count = {
    invitee_id: row.invitee_id,
    spent_before: Number(invitee.spent_before),
    counted: Number(invitee.counted) + row.base,
  };
  const counted = { ...count, hash: inviteeHash(count) };
  await tx
    .insertInto("agent_invitees")
    .values(counted)
    .onConflict((conflict) => conflict.column("invitee_id").doUpdateSet(counted))
    .execute();
  if (row.dividend === 0) return true;
  await postEarning(tx, {
    account: "purse",
    cause: dividendCause(row),
    kind: "dividend",
    userId: row.agent_id,
    amount: row.dividend,
    detail: row.hash,
    nowMs,
  });
  return true;
}
