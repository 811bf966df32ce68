import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import type { Db } from "#db/database.ts";
import type { Dialect } from "#db/dialect.ts";
import { testDialects } from "#db/testing/database.ts";
import type { Flaw } from "./flaw.ts";
import { proveLedger } from "./proof.ts";
import {
  allowEverything,
  alter,
  alterRow,
  elsewhere,
  isRow,
  listColumns,
  proveWith as proveAltered,
  type Row,
} from "#modules/proof/testing/alter-rows.ts";
import { closeTestBooks } from "#modules/ledger/testing/books.ts";
import { openTestHistory, type TestHistory } from "#modules/ledger/testing/history.ts";

/** The tables that the proof checks, with the columns that identify their rows. */
const tables = {
  balances: ["user_id"],
  caller_totals: ["span", "start", "user_id", "token_id"],
  cost_versions: ["id"],
  counters: ["kind", "id"],
  entries: ["user_id", "seq"],
  logs: ["id"],
  model_totals: ["hour", "model_name", "group"],
  price_versions: ["id"],
  token_balances: ["token_id"],
  usage_hours: ["hour", "user_id", "token_id", "channel_id", "model_name", "group"],
  usage_totals: ["span", "start", "channel_id", "model_name", "group"],
} as const;

type Table = keyof typeof tables;

for (const dialect of testDialects) {
  describe(`the proof of the ledger on ${dialect}`, () => {
    let history: TestHistory;
    let rows: Tables;

    const proveWith = async (change: (tx: Db) => Promise<unknown>) =>
      await proveAltered(history.db, change);

    beforeAll(async () => {
      history = await openTestHistory(dialect);
      rows = await readTables(history);
      await allowEverything(history.db, dialect, ["cost_versions", "logs", "price_versions"]);
    });
    afterAll(closeTestBooks);

    /**
     * Expects that the proof reports a flaw in one of the rows `about`, or in a row that
     * contradicts one of them.
     */
    async function expectFlaw(
      table: Table,
      about: readonly Row[],
      change: (tx: Db) => Promise<unknown>,
    ): Promise<void> {
      const { flaw } = await proveWith(change);
      const isFound = flaw !== null && about.some((row) => isAbout(flaw, table, row, rows));
      expect([table, about, isFound ? "found" : flaw]).toEqual([table, about, "found"]);
    }

    /**
     * Returns the rows that a test alters: all on SQLite, where a proof takes a few milliseconds,
     * otherwise the first, a middle one and the last.
     */
    function someOf(table: Table): readonly Row[] {
      const all = rows[table];
      if (dialect === "sqlite") return all;
      return all.filter((_, index) => [0, all.length >> 1, all.length - 1].includes(index));
    }

    test("finds no flaw in a correct ledger", async () => {
      const settled = rows.entries.filter((entry) => entry["kind"] === "settle");
      const reversals = rows.entries.filter((entry) => entry["kind"] === "reversal");
      const charged = [...settled, ...reversals].reduce(
        (sum, entry) => sum - Number(entry["amount"]),
        0,
      );
      expect(reversals).toHaveLength(3);
      const proof = await proveLedger(history.db);
      expect(proof).toMatchObject({ flaw: null, entries: rows.entries.length, charged });
      // Checks that the history has enough rows in every table, and log rows both above and below
      // the watermark.
      for (const table of Object.values(rows)) expect(table.length).toBeGreaterThan(2);
      expect(charged).toBeGreaterThan(0);
      expect(settled.some((entry) => Number(entry["log_id"]) <= history.watermark)).toBeTrue();
      expect(rows.logs.some((row) => Number(row["write_off"]) > 0)).toBeTrue();
    });

    test("P-M12: detects a change of any column of any row", async () => {
      const columns = await columnsOf(history.db, dialect);
      for (const table of keysOf(tables)) {
        expect(columns[table].length).toBeGreaterThan(3);
        for (const row of someOf(table)) {
          for (const column of columns[table]) {
            if (isForgotten(history, table, row, column)) continue;
            const value = row[column];
            if (value === undefined) throw new Error(`${table} has no ${column}`);
            const altered = alter(column, value);
            await expectFlaw(
              table,
              [row],
              async (tx) => await alterRow(tx, table, row, [column, altered]),
            );
          }
        }
      }
    });

    test("P-M12: detects the removal of any row", async () => {
      for (const table of keysOf(tables)) {
        for (const row of someOf(table)) {
          await expectFlaw(table, [row], async (tx) =>
            sql`delete from ${sql.table(table)} where ${isRow(row)}`.execute(tx),
          );
        }
      }
    });

    test("P-M12: detects any added row", async () => {
      for (const table of keysOf(tables)) {
        for (const row of someOf(table)) {
          const key = tables[table].findLast((name) => typeof row[name] === "number") ?? "";
          const added: Record<string, number | string | null> = { ...row, [key]: elsewhere };
          if (table === "entries") added["cause"] = "topup:elsewhere";
          await expectFlaw(table, [added], async (tx) => await insert(tx, table, added));
        }
      }
    });

    test("P-M12: detects two exchanged rows", async () => {
      for (const table of keysOf(tables)) {
        for (const row of someOf(table)) {
          const other = rows[table][rows[table].indexOf(row) + 1];
          if (other === undefined || areForgotten(history, table, row, other)) continue;
          const change = async (tx: Db) => await swap(tx, table, row, other);
          await expectFlaw(table, [row, other], change);
        }
      }
    });

    test("P-M12: detects a wrong amount held for running calls", async () => {
      const held = sql`update balances set held = held + 1 where user_id = 3`;
      const { flaw } = await proveWith(async (tx) => await held.execute(tx));
      expect(flaw).toMatchObject({ check: "T8", table: "balances", row: "user_id=3" });
      if (dialect !== "postgres") return;
      const reservation = sql`update reservations set token_amount = 71 where id = 'runs'`;
      const proof = await proveWith(async (tx) => await reservation.execute(tx));
      expect(proof.flaw).toMatchObject({ check: "T8", table: "token_balances", row: "token_id=1" });
    });

    test("T8: detects a removed reservation and one without a hold", async () => {
      if (dialect !== "postgres") {
        // On SQLite a missing reservation is no flaw: the only process owns each balance as a
        // whole, so reservations are not subtracted from it.
        const { flaw } = await proveWith(
          async (tx) => await tx.deleteFrom("reservations").execute(),
        );
        expect(flaw).toBeNull();
        return;
      }
      for (const change of [
        sql`delete from reservations where id = 'runs'`,
        sql`update reservations set amount = amount + 1 where id = 'too'`,
      ]) {
        const { flaw } = await proveWith(async (tx) => await change.execute(tx));
        expect(flaw).toMatchObject({ check: "T8", table: "balances", row: "user_id=1" });
      }
    });

    test("T7: detects a call with two rows, one of which says that it was free", async () => {
      const last = rows.logs.findLast((row) => row["type"] === 2)?.["request_id"] ?? "";
      const first = await history.db
        .selectFrom("logs")
        .select("id")
        .where("request_id", "=", "failed")
        .executeTakeFirstOrThrow();
      for (const { requestId, row } of [
        { requestId: "interrupted", row: "request_id=interrupted" },
        { requestId: String(last), row: `id=${first.id}` },
      ]) {
        const rename = sql`update logs set request_id = ${requestId} where request_id = 'failed'`;
        const { flaw } = await proveWith(async (tx) => await rename.execute(tx));
        expect(flaw).toMatchObject({ check: "T7", table: "logs", row });
        // Raises the id from which T7 applies above all rows: rows up to it are from earlier
        // versions and are not checked.
        const before = await proveWith(async (tx) => {
          await rename.execute(tx);
          await sql`update meta set value = '1000000' where key = 'one_row_per_call_after'`.execute(
            tx,
          );
        });
        expect(before.flaw).toBeNull();
      }
    });

    test("T9: warns when more than a thousandth is written off, with the reason", async () => {
      const { warnings, charged } = await proveLedger(history.db);
      const writtenOff = rows.logs.reduce((sum, row) => sum + Number(row["write_off"]), 0);
      const poor = `T9 ${writtenOff} quota units are written off, ${charged} charged`;
      const givenBack = rows.entries
        .filter((entry) => entry["kind"] === "reversal")
        .reduce((sum, entry) => sum + Number(entry["amount"]), 0);
      const late = `T9 ${givenBack} quota units are written off, ${charged} charged`;
      expect(warnings).toEqual([
        `${poor}: calls cost more than their users had`,
        `${late}: answers were withheld, or tasks ended without a charge`,
      ]);

      const dead = sql`update logs set write_off = ${charged} where request_id = 'interrupted'`;
      const proof = await proveWith(async (tx) => await dead.execute(tx));
      expect(proof.flaw).toBeNull();
      expect(proof.warnings.at(-1)).toBe(
        `T9 ${charged} quota units are written off, ${charged} charged: ` +
          "calls continued after their node was taken for dead",
      );
      const little = sql`update logs set write_off = ${Math.floor(charged / 1_000)}
        where request_id = 'interrupted'`;
      const fine = await proveWith(async (tx) => await little.execute(tx));
      expect(fine.warnings).toEqual(warnings);
    });

    test("P-M12: detects users and tokens without a balance, and balances without a user or token", async () => {
      for (const { table, id, flaw } of [
        { table: "users", id: "id", flaw: { table: "balances", row: "user_id=4" } },
        { table: "tokens", id: "id", flaw: { table: "token_balances", row: "token_id=2" } },
      ]) {
        const last = flaw.row.split("=")[1] ?? "";
        const gone = sql`delete from ${sql.table(table)} where ${sql.ref(id)} = ${sql.raw(last)}`;
        const proof = await proveWith(async (tx) => await gone.execute(tx));
        expect(proof.flaw).toMatchObject(flaw);
      }
    });

    test("removed rows are no flaw below the watermark, and a flaw above it", async () => {
      const lowered = sql`update meta set value = '1' where key = 'log_watermark'`;
      const { flaw } = await proveWith(async (tx) => await lowered.execute(tx));
      expect(flaw).toMatchObject({
        check: "T3",
        table: "entries",
        reason: "its log row is missing",
      });
    });
  });
}

/**
 * Whether the proof cannot detect a change of this value. Which models and groups a roll-up row is
 * about is also in the log rows; once a cleaning has removed those, nothing else shows it.
 */
function isForgotten(history: TestHistory, table: Table, row: Row, column: string): boolean {
  const isCleaned = table === "usage_hours" && Number(row["hour"]) <= history.cleanedHour;
  return isCleaned && (column === "model_name" || column === "group");
}

function areForgotten(history: TestHistory, table: Table, a: Row, b: Row): boolean {
  return tables[table].every((key) => a[key] === b[key] || isForgotten(history, table, a, key));
}

type Tables = Readonly<Record<Table, readonly Row[]>>;

function isAbout(flaw: Flaw, table: Table, row: Row, rows: Tables): boolean {
  const says = (...parts: readonly string[]): boolean =>
    parts.every((part) => flaw.row.split(" ").includes(part));
  const names = (column: string): boolean =>
    says(`${column}=${row[column]}`) || says(`${column}=${Number(row[column]) + elsewhere}`);
  switch (table) {
    case "entries":
      // Altering an entry breaks or shortens the user's chain, or leaves its log row without a
      // settlement.
      return flaw.table === "logs"
        ? says(`id=${row["log_id"]}`)
        : ["balances", "entries"].includes(flaw.table) && names("user_id");
    case "logs": {
      const entry = rows.entries.find(({ log_id }) => log_id === row["id"]);
      return flaw.table === "entries"
        ? says(`user_id=${entry?.["user_id"]}`, `seq=${entry?.["seq"]}`)
        : flaw.table === "logs" && names("id");
    }
    case "price_versions": {
      const next = rows.price_versions[rows.price_versions.indexOf(row) + 1];
      return flaw.table === "price_versions"
        ? names("id") || says(`id=${next?.["id"]}`)
        : flaw.reason === `price version ${row["id"]} is missing`;
    }
    case "cost_versions": {
      const next = rows.cost_versions[rows.cost_versions.indexOf(row) + 1];
      return flaw.table === "cost_versions"
        ? names("id") || says(`id=${next?.["id"]}`)
        : flaw.reason === `cost version ${row["id"]} is missing`;
    }
    case "usage_hours":
      return flaw.table === "counters"
        ? ["user_id", "token_id", "channel_id"].some((key) => says(`id=${row[key]}`))
        : flaw.table === table && names("hour") && names("user_id");
    case "caller_totals":
    case "usage_totals":
      return flaw.table === table && names("start");
    case "balances":
    case "counters":
    case "model_totals":
    case "token_balances":
      return flaw.table === table && names(table === "counters" ? "id" : tables[table][0]);
  }
}

function keysOf<Key extends string>(record: Readonly<Record<Key, unknown>>): Key[] {
  // Safe cast: the records in this file have no keys other than those of their types.
  return Object.keys(record) as Key[];
}

async function readTables({ db }: TestHistory): Promise<Tables> {
  const read = async (table: Table): Promise<readonly Row[]> => {
    const where = table === "logs" ? sql`where type = 2` : sql``;
    const order = sql.join(tables[table].map((name) => sql.ref(name)));
    const { rows } = await sql<Row>`
      select * from ${sql.table(table)} ${where} order by ${order}`.execute(db);
    return rows;
  };
  const entries = await Promise.all(
    keysOf(tables).map(async (table) => [table, await read(table)] as const),
  );
  // Safe cast: the object has an entry for each table.
  return Object.fromEntries(entries) as Tables;
}

/** Lists the columns of all tables. */
async function columnsOf(db: Db, dialect: Dialect): Promise<Record<Table, string[]>> {
  const entries = await Promise.all(
    keysOf(tables).map(async (table) => [table, await listColumns(db, dialect, table)] as const),
  );
  // Safe cast: the object has an entry for each table.
  return Object.fromEntries(entries) as Record<Table, string[]>;
}

async function insert(tx: Db, table: Table, row: Row): Promise<void> {
  const columns = sql.join(Object.keys(row).map((name) => sql.ref(name)));
  const values = sql.join(Object.values(row).map((value) => sql.lit(value)));
  await sql`insert into ${sql.table(table)} (${columns}) values (${values})`.execute(tx);
}

/** Exchanges the values of the identifying columns between two rows. */
async function swap(tx: Db, table: Table, a: Row, b: Row): Promise<void> {
  const give = (row: Row, keys: Row): Row => {
    const given: Record<string, number | string | null> = { ...row };
    for (const key of tables[table]) given[key] = keys[key] ?? "";
    return given;
  };
  await sql`delete from ${sql.table(table)} where ${isRow(a)}`.execute(tx);
  await sql`delete from ${sql.table(table)} where ${isRow(b)}`.execute(tx);
  await insert(tx, table, give(a, b));
  await insert(tx, table, give(b, a));
}
