/**
 * The command `tollgate import`: brings what another gateway has here, says before what would come,
 * and takes it back. On SQLite a running gateway holds balances in memory, so it must be stopped.
 */

import { defaultPriceList } from "@tollgate/contract/money/default-prices.ts";
import type { AddressPolicy } from "#base/address-policy.ts";
import { systemRandom } from "#base/random.ts";
import type { Secrets } from "#base/secrets.ts";
import { unixSeconds } from "#base/clock.ts";
import { type DatabaseAddress, openDatabase } from "#db/connection.ts";
import type { Db } from "#db/database.ts";
import { type ForeignDatabase, ForeignError, openForeign } from "#db/foreign.ts";
import { requireSchema } from "#db/migrator.ts";
import { openConvert } from "#modules/import/amounts.ts";
import {
  createImport,
  findImport,
  type ImportRow,
  readQuotaPerUnit,
  updateImport,
} from "#modules/import/imports.repo.ts";
import type { Reader } from "#modules/import/import.ts";
import { findReader } from "#modules/import/readers/registry.ts";
import { openReport, type Report, reportLines } from "#modules/import/report.ts";
import type { ImportArguments } from "./import-arguments.ts";
import type { Move } from "./move.ts";
import { countRows, moveChannels, moveCodes, movePrices } from "./move-others.ts";
import { moveTokens } from "./move-tokens.ts";
import { moveUsers } from "./move-users.ts";
import { undoImport } from "./undo.ts";

type ImportDeps = {
  readonly secrets: Secrets;
  /** Which addresses channels may have. */
  readonly policy: AddressPolicy;
  /** Says why the secret key is not the one of this database; null: it is. */
  readonly wrongKey: (db: Db) => Promise<string | null>;
  /** Prints a line of what was asked for. */
  readonly print: (line: string) => void;
  /** Tells the operator something besides. */
  readonly tell: (line: string) => void;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Runs the command. @returns the exit code. */
export async function runImport(
  address: DatabaseAddress,
  asked: ImportArguments,
  deps: ImportDeps,
): Promise<number> {
  const { db, dialect, close } = openDatabase(
    address,
    asked.verb === "dry-run" ? "reader" : "writer",
  );
  try {
    await requireSchema(db, dialect);
    const wrong = await deps.wrongKey(db);
    if (wrong !== null) throw new ForeignError(wrong);
    if (asked.verb === "undo") return await undo(db, asked, deps);
    const source = await openForeign(asked.address);
    try {
      const report = await moveAll(db, source, asked, deps);
      show(report, asked, deps);
      return 0;
    } finally {
      await source.close();
    }
  } catch (error) {
    if (!(error instanceof ForeignError)) throw error;
    deps.tell(error.message);
    return 1;
  } finally {
    await close();
  }
}

function show(report: Report, { asJson }: ImportArguments, { print }: ImportDeps): void {
  if (asJson) print(JSON.stringify(report, null, 2));
  else for (const line of reportLines(report)) print(line);
}

/** The name by which a later run finds an import, unless one was given. */
function nameOf({ name, address }: ImportArguments): string {
  if (name !== null) return name;
  const path = URL.canParse(address) ? new URL(address).pathname : address;
  return path.split("/").findLast((part) => part !== "") ?? path;
}

async function undo(db: Db, asked: ImportArguments, deps: ImportDeps): Promise<number> {
  const row = (await findImport(db, nameOf(asked))) ?? (await findImport(db, asked.address));
  if (row === undefined) {
    throw new ForeignError(`There is no import ${nameOf(asked)}. Name it with --name.`);
  }
  const undone = await undoImport(db, row, deps.now);
  for (const line of undone.left) deps.print(`stays: ${line}`);
  deps.print(`Taken back: ${undone.rows} rows, ${undone.quota} quota units.`);
  return 0;
}

/** How many rows are moved in a second at least, by which a dry run tells the time of the run. */
const rowsPerSecond = 500;

async function moveAll(
  db: Db,
  source: ForeignDatabase,
  asked: ImportArguments,
  deps: ImportDeps,
): Promise<Report> {
  const { now } = deps;
  const startMs = now();
  const reader = findReader(source, asked.from);
  const settings = await reader.readSettings(source);
  const quotaPerUnit = (await readQuotaPerUnit(db)) ?? defaultPriceList.QuotaPerUnit;
  const writes = asked.verb === "run";
  const row = await openImport(db, { reader, source, asked, writes, nowMs: now() });
  const report = openReport({ from: reader.kind, source: source.shown, dryRun: !writes });
  const move: Move = {
    db,
    source,
    reader,
    settings,
    report,
    writes,
    now,
    convert: openConvert(settings.quotaPerUnit, Number(quotaPerUnit)),
    rules: asked.rules,
    importId: row?.id ?? 0,
    secrets: deps.secrets,
    policy: deps.policy,
    random: systemRandom,
    taken: new Set(),
    comingUsers: new Set(),
    progress: (kind, done) => tellProgress(kind, done, deps),
  };
  await moveUsers(move);
  await moveTokens(move);
  await moveChannels(move);
  await moveCodes(move);
  await movePrices(move);
  await noteTables(move);
  const rows = await countRows(move);
  const took = Math.ceil((now() - startMs) / 1_000);
  report.seconds = writes ? took : Math.ceil(rows / rowsPerSecond);
  if (row !== undefined && writes) {
    await updateImport(db, row.id, { finished_at: unixSeconds(now()) });
  }
  return report;
}

/** How many rows are done between two lines that say so. */
const progressEach = 10_000;

function tellProgress(kind: string, done: number, { tell }: ImportDeps): void {
  if (done > 0 && done % progressEach === 0) tell(`${done} ${kind}s`);
}

/** Finds the import that is continued, or begins one. */
async function openImport(
  db: Db,
  {
    reader,
    source,
    asked,
    writes,
    nowMs,
  }: {
    readonly reader: Reader;
    readonly source: ForeignDatabase;
    readonly asked: ImportArguments;
    readonly writes: boolean;
    readonly nowMs: number;
  },
): Promise<ImportRow | undefined> {
  const name = nameOf(asked);
  const found = await findImport(db, name);
  if (found !== undefined && found.kind !== reader.kind) {
    throw new ForeignError(`The import ${name} is of ${found.kind}. Give this one another --name.`);
  }
  if (found !== undefined || !writes) return found;
  const row = { name, kind: reader.kind, source: source.shown, created_at: unixSeconds(nowMs) };
  return await db.transaction().execute(async (tx) => await createImport(tx, row));
}

/** Notes the tables that have rows and no place here. */
async function noteTables({ source, reader, report }: Move): Promise<void> {
  const { users, tokens, channels, codes, derived } = reader;
  const known = [users.table, tokens.table, channels.table, codes?.table ?? "", "options"];
  for (const table of source.tables.keys()) {
    if (known.includes(table) || derived.includes(table)) continue;
    const rows = await source.count(table);
    if (rows > 0) report.unplaced.push({ table, column: "", rows, examples: [] });
  }
}
