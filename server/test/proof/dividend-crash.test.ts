/** `kill -9` of two nodes on one database, while they compute the dividends of agents. */

import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { noUsage } from "@tollgate/contract/money/charge.ts";
import { openDatabase } from "#db/connection.ts";
import type { Db } from "#db/database.ts";
import { appendAudit, systemActor } from "#modules/audit/audit.ts";
import { openBalance } from "#modules/ledger/ledger.ts";
import { applyAs } from "#modules/ledger/testing/books.ts";
import { chargedLog } from "#modules/ledger/testing/calls.ts";
import { changePrices } from "#modules/pricing/pricing.ts";
import { noteUser } from "#modules/users/users.ts";
import { bindStores } from "#test/accounts/ports.ts";
import { type ConsoleClient, signIn } from "#test/console.ts";
import {
  type Gateway,
  type Home,
  makeStartedHome,
  runCommand,
  startGateway,
} from "#test/gateway.ts";
import { setOption } from "./installation.ts";
import { stallAt } from "./stalls.ts";

const dayMs = 86_400_000;
const days = 3;

/** More invitees than one transaction pays, so that a node can die between two. */
const inviteeCount = 130;

/** What an invitee spends in a day, and what an agent earns of it at 10 per cent. */
const spentPerDay = 1_000;
const dividendPerDay = 100;

/** After its end, a day can be closed once this time is over. */
const marginMs = 20 * 60_000;

/** The first of the days that are over, and a time in it. */
const firstDay = Math.floor((Date.now() - marginMs) / dayMs) - days;
const firstMs = firstDay * dayMs + 3_600_000;

async function addUsers(db: Db, count: number, inviterId: number): Promise<number[]> {
  const { id: _id, ...root } = await db
    .selectFrom("users")
    .selectAll()
    .where("id", "=", 1)
    .executeTakeFirstOrThrow();
  const ids: number[] = [];
  for (let at = 0; at < count; at += 1) {
    const username = `of${inviterId}x${at}`;
    const names = { username, username_key: username, aff_code: username };
    const { id } = await db
      .insertInto("users")
      .values({ ...root, ...names, role: 1, inviter_id: inviterId })
      .returning("id")
      .executeTakeFirstOrThrow();
    await openBalance(db, id);
    await noteNew(db, id);
    ids.push(id);
  }
  if (inviterId > 0) {
    await db.insertInto("affiliates").values({ user_id: inviterId, aff_count: count }).execute();
  }
  return ids;
}

/** Notes a new user in the audit log, as the console does. */
async function noteNew(db: Db, id: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const row = await noteUser(tx, id);
    const note = { actor: systemActor, action: "user.create", target: `user:${id}` };
    await appendAudit(tx, { ...note, row, nowMs: firstMs });
  });
}

/** Has every invitee pay once, and spend in every day. */
async function payAndSpend(db: Db, ids: readonly number[]): Promise<void> {
  const { redemptions } = bindStores(db);
  const codes = ids.map((id) => ({ lookup: `code-${id}`, sealed: "" }));
  const settings = { name: "paid", quota: 10 * spentPerDay, group: "", user_limit: 0 };
  const by = { actor: { userId: 1, username: "root", clientIp: "" }, nowMs: firstMs };
  const batch = { ...settings, expired_time: 0, batch_id: "paid", codes };
  await redemptions.createRedemptions(batch, by);
  for (const userId of ids) {
    await redemptions.redeem({ lookup: `code-${userId}`, userId, clientIp: "", nowMs: firstMs });
  }
  await db.transaction().execute(async (tx) => {
    await changePrices(tx, { parts: { ModelRatio: { m: "1" } }, createdBy: 1, nowMs: firstMs });
  });
  const { id: priceVersion } = await db
    .selectFrom("price_versions")
    .select("id")
    .orderBy("id", "desc")
    .executeTakeFirstOrThrow();
  for (let day = 0; day < days; day += 1) {
    const settlements = ids.map((userId) => {
      const id = `spent-${day}-${userId}`;
      const log = chargedLog({
        requestId: id,
        tokenId: 0,
        userId,
        username: `u${userId}`,
        tokenName: "",
        modelName: "m",
        usage: { ...noUsage, input: spentPerDay },
        priceVersion,
        createdAt: Math.floor((firstMs + day * dayMs) / 1_000) + 3_600,
      });
      const what = { type: "settle", id, tokenLimited: false, charge: spentPerDay } as const;
      return { ...what, charged: null, log };
    });
    await applyAs(db, "gone", settlements);
  }
}

let home: Home;
let agentId: number;
let invitees: number[];
const folders: string[] = [];
const nodes: Gateway[] = [];

async function startNode(): Promise<{ readonly node: Gateway; readonly root: ConsoleClient }> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-node-"));
  folders.push(folder);
  const node = await startGateway(home, { env: { TOLLGATE_DATA_DIR: folder } });
  nodes.push(node);
  return { node, root: await signIn(node.origin) };
}

async function withDb<Result>(use: (db: Db) => Promise<Result>): Promise<Result> {
  const url = home.env["DATABASE_URL"] ?? "";
  const { db, close } = openDatabase({ dialect: "postgres", url }, "writer");
  try {
    return await use(db);
  } finally {
    await close();
  }
}

beforeAll(async () => {
  home = await makeStartedHome("postgres");
  await withDb(async (db) => {
    [agentId = 0] = await addUsers(db, 1, 0);
    invitees = await addUsers(db, inviteeCount, agentId);
    await bindStores(db).agents.join(
      { approval: false },
      {
        actor: { userId: agentId, username: "agent", clientIp: "" },
        nowMs: firstMs - 1_000,
      },
    );
    await payAndSpend(db, invitees);
  });
}, 120_000);
afterAll(async () => {
  for (const node of nodes) await node.kill();
  await home.remove();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const run = async (root: ConsoleClient) =>
  await root.send<{ days: number; dividends: number }>("POST", "/api/agent/dividends/run", {});

/** How often a node is asked whose database answers too late on a busy machine. */
const askedMax = 5;

/** Returns why a node does not compute. */
async function refusalOf(root: ConsoleClient): Promise<string> {
  let message = "";
  for (let asked = 0; asked < askedMax; asked += 1) {
    const answer = await run(root);
    expect(answer.success).toBe(false);
    ({ message } = answer);
    if (!message.includes("数据库")) break;
  }
  return message;
}

/** Ends the claim of a dead node, as a minute does. */
const endClaim = async () =>
  await withDb(async (db) => {
    const open = db.updateTable("dividend_days").set({ claimed_until: 0 });
    await open.where("closed_at", "=", 0).execute();
  });

test("money-rules §3: two nodes that are killed while they compute pay each invitee once a day", async () => {
  const first = await startNode();
  await setOption(first.root, "RootSecondFactorRequired", "false");
  await setOption(first.root, "AgentDividendPercent", "10");
  await setOption(first.root, "AgentsEnabled", "true");
  let other = await startNode();
  let working = first;
  for (const [day, invitee] of [
    // In the first transaction of the first day, in the second of the next, and at the end.
    [firstDay, invitees[0]],
    [firstDay + 1, invitees[110]],
    [firstDay + 2, invitees[inviteeCount - 1]],
  ]) {
    const only = `new.day = ${day} and new.invitee_id = ${invitee}`;
    const stall = await stallAt(home, { table: "dividends", event: "insert", only });
    const cut = run(working.root).catch(() => "cut off");
    await stall.reached(working.node.pid);
    expect(await refusalOf(other.root)).toBe("分红正在计算，请稍后再试");
    await working.node.kill();
    // On a busy machine the stalled statement may reach its time limit before the kill: then the
    // node has refused the work, and has told so.
    const end = await cut;
    expect(typeof end === "string" || !end.success).toBe(true);
    await stall.remove();
    await endClaim();
    working = other;
    other = await startNode();
  }
  const answers = await Promise.all([run(working.root), run(other.root), run(working.root)]);
  expect(answers.some(({ success }) => success)).toBe(true);
  expect(await run(other.root)).toMatchObject({ success: true, data: { days: 0, dividends: 0 } });

  const { paid, purse } = await withDb(async (db) => ({
    paid: await db
      .selectFrom("dividends")
      .select((eb) => ["invitee_id", "dividend", eb.fn.countAll<number>().as("days")])
      .groupBy(["invitee_id", "dividend"])
      .orderBy("invitee_id")
      .execute(),
    purse: await db
      .selectFrom("earnings")
      .select(["balance", "earned", "entry_count"])
      .where("user_id", "=", agentId)
      .executeTakeFirst(),
  }));
  expect(
    paid.map(({ invitee_id, ...row }) => [invitee_id, row.dividend, Number(row.days)]),
  ).toEqual(invitees.map((id) => [id, dividendPerDay, days]));
  const earned = days * inviteeCount * dividendPerDay;
  expect(purse).toEqual({ balance: earned, earned, entry_count: days * inviteeCount });
  const { code, output } = await runCommand(home, ["audit"]);
  expect(code, output).toBe(0);
}, 180_000);
