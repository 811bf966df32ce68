/** The log of an earlier version after an update: proven as before, with endings, tags and views. */

import { afterEach, expect, test } from "bun:test";
import { noUsage } from "@tollgate/contract/money/charge.ts";
import { sql } from "kysely";
import type { ChargedCallLog } from "#canonical/call-log.ts";
import type { Db } from "#db/database.ts";
import type { Dialect } from "#db/dialect.ts";
import { migrations } from "#db/migrations/index.ts";
import { migrate } from "#db/migrator.ts";
import { testDialects } from "#db/testing/database.ts";
import type { Operation } from "#modules/ledger/operations.ts";
import { closeTestBooks } from "#modules/ledger/testing/books.ts";
import { chargedLog, failedLog } from "#modules/ledger/testing/calls.ts";
import { openTestHistory } from "#modules/ledger/testing/history.ts";
import {
  findEarlierEndings,
  noteEarlierEndings,
} from "#modules/logs/answers/earlier-endings.repo.ts";
import { readFacet } from "#modules/logs/answers/facets.repo.ts";
import { readFailures } from "#modules/logs/answers/failures.repo.ts";
import { proveLedger } from "#modules/proof/proof.ts";
import { viewStore } from "#modules/views/views.store.ts";

afterEach(closeTestBooks);

/** The first migration that the earlier version does not have. */
const first = "20261202-0913-endings";

/** What the earlier version has not, each before what it stands in. */
const newer = {
  index: ["logs_ended"],
  column: ["logs.ending", "tokens.tags", "reservations.tags", "users.organisation"],
  table: [
    "ending_hours",
    "saved_views",
    "log_tags",
    "tag_days",
    "organisations",
    "projects",
    "memberships",
    "organisation_keys",
    "organisation_invitations",
  ],
};

/** Takes a database back to the tables of the version before log endings, views and tags. */
async function takeBack(db: Db, dialect: Dialect): Promise<void> {
  for (const index of newer.index) await sql`drop index ${sql.ref(index)}`.execute(db);
  for (const place of newer.column) {
    const [table = "", column = ""] = place.split(".");
    await sql`alter table ${sql.table(table)} drop column ${sql.ref(column)}`.execute(db);
  }
  for (const table of newer.table) await sql`drop table ${sql.table(table)}`.execute(db);
  await sql`delete from schema_migrations where name >= ${first}`.execute(db);
  const names = Object.keys(migrations);
  // A migration that adds more has to be taken back here as well.
  expect([dialect, names.slice(names.indexOf(first))]).toEqual([
    dialect,
    [
      first,
      "20261202-0927-saved-views",
      "20261203-1137-tags",
      "20261204-0110-interrupted-tags",
      "20261204-1005-organisations",
    ],
  ]);
}

/** Gives the rows their endings, as a server does beside calls once no earlier version runs. */
async function noteEndings(db: Db): Promise<void> {
  await sql`update meta set value = '' where key = 'endings_nodes'`.execute(db);
  for (;;) {
    const piece = await findEarlierEndings(db, { ids: 2, rows: 1 });
    if (piece === null) return;
    if (piece === "later") throw new Error("a node of the earlier version runs");
    await db.transaction().execute(async (tx) => await noteEarlierEndings(tx, piece));
  }
}

const endingsOf = async (db: Db) =>
  await db.selectFrom("logs").select(["id", "type", "ending"]).orderBy("id").execute();

const everything = {
  userId: null,
  username: "",
  lookup: null,
  tokenName: "",
  tokenId: 0,
  modelName: "",
  type: 0,
  start: 0,
  end: 0,
  channel: 0,
  group: "",
  afterId: 0,
  requestId: "",
  usageSource: "",
  quotaMin: 0,
};

/** A call at the prices that apply now: 100 tokens at a ratio of 1.25. */
async function newCall(
  db: Db,
  requestId: string,
  parts: Partial<ChargedCallLog>,
): Promise<Operation> {
  const { id: priceVersion } = await db
    .selectFrom("price_versions")
    .select("id")
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirstOrThrow();
  const createdAt = Math.floor(Date.now() / 1_000);
  const usage = { ...noUsage, input: 100 };
  const log = chargedLog({ requestId, priceVersion, createdAt, usage, ...parts });
  return { type: "settle", id: requestId, tokenLimited: true, charge: 125, charged: null, log };
}

test.each(testDialects)(
  "after an update the rows of before are proven, have endings, and rows with tags follow them: %s",
  async (dialect) => {
    const { db, apply } = await openTestHistory(dialect);
    for (const interrupted of ["客户端断开", "上游中断", "额度不足，输出中止"]) {
      await apply([await newCall(db, interrupted, { interrupted })]);
    }
    const error = { type: "x", code: "rate_limited", message: "no" };
    await apply([{ type: "fail", log: failedLog({ requestId: "limited", status: 429, error }) }]);
    const before = await endingsOf(db);
    const endings = before.map(({ ending }) => ending).filter((ending) => ending !== "");
    expect(endings).toEqual(
      expect.arrayContaining(["left", "broken", "cut", "failed 429 rate_limited"]),
    );
    const proof = await proveLedger(db);
    expect(proof.flaw).toBeNull();

    await takeBack(db, dialect);
    expect(await migrate(db, dialect)).toContain(first);
    await noteEndings(db);

    expect(await endingsOf(db)).toEqual(before);
    expect(await proveLedger(db)).toEqual(proof);
    const now = Math.ceil(Date.now() / 1_000);
    const failures = await readFailures(db, everything, now);
    const calls = failures.reduce((sum, group) => sum + group.calls, 0);
    expect(calls).toBe(endings.length);

    const tag = async () => await readFacet(db, everything, { facet: "tag", prefix: "", now });
    expect(await tag()).toEqual({ values: [], more: 0 });
    await apply([await newCall(db, "tagged", { tags: ["batch"] })]);
    expect((await tag()).values).toEqual([{ value: "batch", name: "batch", calls: 1, quota: 125 }]);
    const view = {
      list: "logs" as const,
      name: "mine",
      shared: false,
      search: { tag: "batch" },
      columns: null,
    };
    const { listViews } = viewStore.reads;
    await db.transaction().execute(async (tx) => await viewStore.writes.saveView(tx, 1, view));
    expect(await listViews(db, 1, "logs")).toMatchObject([
      { name: "mine", search: { tag: "batch" } },
    ]);
    expect((await proveLedger(db)).flaw).toBeNull();
  },
);
