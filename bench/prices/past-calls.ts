/**
 * A database with past calls: charged, logged and counted by the ledger's own functions, as those of
 * a running gateway are.
 */

import {
  charge,
  noUsage,
  type PriceList,
  priceList,
  unitPrice,
} from "@tollgate/contract/money/charge.ts";
import { seededRandom } from "@tollgate/server/src/base/testing/random.ts";
import type { Db } from "@tollgate/server/src/db/database.ts";
import { applyAs } from "@tollgate/server/src/modules/ledger/testing/books.ts";
import { chargedLog } from "@tollgate/server/src/modules/ledger/testing/calls.ts";
import { openBalance, postEntry } from "@tollgate/server/src/modules/ledger/ledger.ts";
import { appendAudit, systemActor } from "@tollgate/server/src/modules/audit/audit.ts";
import { noteUser } from "@tollgate/server/src/modules/users/users.ts";

/** How many calls one transaction settles. */
const batchCalls = 500;

/** No calls use up this balance. */
const plenty = 10 ** 14;

/** The first second of the past, and how many there are. */
export const pastStart = 1_763_700_000;
export const pastSeconds = 30 * 86_400;

type Past = {
  readonly calls: number;
  readonly users: number;
  readonly models: readonly string[];
};

/** Reads the prices in force. */
export async function readPrices(
  db: Db,
): Promise<{ readonly id: number; readonly list: PriceList }> {
  const row = await db
    .selectFrom("price_versions")
    .select(["id", "content"])
    .orderBy("id", "desc")
    .executeTakeFirstOrThrow();
  return { id: row.id, list: priceList.parse(JSON.parse(row.content)) };
}

/** Adds users with balances. @returns their ids. */
async function addUsers(db: Db, count: number): Promise<number[]> {
  const ids: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const username = `past${at}`;
    const none = { display_name: "", email: "", github_id: "", oidc_id: "", wechat_id: "" };
    const others = { telegram_id: "", linux_do_id: "", inviter_id: 0, create_time: 0 };
    const { id } = await db
      .insertInto("users")
      .values({
        ...none,
        ...others,
        username,
        password_hash: "",
        role: 1,
        status: 1,
        group: "default",
        aff_code: username,
        access_token_lookup: null,
        DeletedAt: null,
      })
      .returning("id")
      .executeTakeFirstOrThrow();
    await db.transaction().execute(async (tx) => {
      await openBalance(tx, id);
      const gift = { cause: `past:${id}`, kind: "admin_adjust", detail: "" } as const;
      await postEntry(tx, { ...gift, userId: id, amount: plenty, nowMs: pastStart * 1_000 });
      const row = await noteUser(tx, id);
      const note = { actor: systemActor, action: "user.create", target: `user:${id}` };
      await appendAudit(tx, { ...note, row, nowMs: pastStart * 1_000 });
    });
    ids.push(id);
  }
  return ids;
}

/** Makes calls of the prices in force, spread over the past. */
export async function makePast(db: Db, { calls, users, models }: Past): Promise<void> {
  const random = seededRandom(40);
  const { id: priceVersion, list } = await readPrices(db);
  const ids = await addUsers(db, users);
  const prices = new Map(models.map((name) => [name, unitPrice(list, name, "default")]));
  for (let first = 0; first < calls; first += batchCalls) {
    const count = Math.min(batchCalls, calls - first);
    const settlements = Array.from({ length: count }, (_, at) => {
      const id = `past-${first + at}`;
      const modelName = random.pick(models);
      const userId = random.pick(ids);
      const price = prices.get(modelName);
      if (price === undefined) throw new Error(`${modelName} has no price`);
      const usage = {
        ...noUsage,
        input: random.between(1, 9_000),
        cacheRead: random.chance(0.3) ? random.below(20_000) : 0,
        output: random.below(900),
      };
      const createdAt = pastStart + random.below(pastSeconds);
      const username = `past${userId}`;
      const of = { requestId: id, userId, username, tokenId: 0, tokenName: "", modelName };
      const log = chargedLog({ ...of, usage, priceVersion, createdAt });
      const due = charge(price, usage);
      return { type: "settle", id, tokenLimited: false, charge: due, charged: null, log } as const;
    });
    await applyAs(db, "gone", settlements);
  }
}
