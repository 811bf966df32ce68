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
import { type ForeignDatabase, ForeignError } from "#db/foreign.ts";
import { requireSchema } from "#db/migrator.ts";
import { openConvert } from "#modules/import/amounts.ts";
import {
  createImport,
  findImport,
  type ImportRow,
  readQuotaPerUnit,
  updateImport,
} from "#modules/import/imports.repo.ts";
import type { OpenReader } from "#modules/import/import.ts";
import { findReader } from "#modules/import/readers/registry.ts";
import { openReport, type Report, reportLines } from "#modules/import/report.ts";
import type { ImportArguments } from "./import-arguments.ts";
import type { Move } from "./move.ts";
import { openSource } from "./open-source.ts";
import { finishMove, openOne } from "./finish.ts";
import { countRows, moveChannels, moveCodes, movePrices } from "./move-others.ts";
import { moveHistory } from "./move-history.ts";
import { moveTokens } from "./move-tokens.ts";
import { moveUsers } from "./move-users.ts";
import { undoImport } from "./undo.ts";

type ImportDeps = {
  readonly secrets: Secrets;
  /** Which addresses channels may have. */
  readonly policy: AddressPolicy;
  /** Says why the secret key is not the one of this database; null: it is. */
  readonly wrongKey: (db: Db) => Promise<string | null>;
  /** Waits. @returns false: the command is to end. */
  readonly pause: (seconds: number) => Promise<boolean>;
  /** Prints a line of what was asked for. */
  readonly print: (line: string) => void;
  /** Reads a secret that a source names instead of having it; undefined: there is none. */
  readonly readSecret: (name: string) => string | undefined;
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
    if (asked.verb === "open") {
      deps.print(await openOne(db, await findNamed(db, asked), asked.opened));
      return 0;
    }
    if (asked.verb === "follow") return await follow(db, asked, deps);
    await runOnce(db, asked, deps);
    return 0;
  } catch (error) {
    if (!(error instanceof ForeignError)) throw error;
    deps.tell(error.message);
    return 1;
  } finally {
    await close();
  }
}

async function runOnce(db: Db, asked: ImportArguments, deps: ImportDeps): Promise<void> {
  const source = await openSource(asked);
  try {
    show(await moveAll(db, source, asked, deps), asked, deps);
  } finally {
    await source.close();
  }
}

/** Runs again and again, also when the source has gone away meanwhile, until it is stopped. */
async function follow(db: Db, asked: ImportArguments, deps: ImportDeps): Promise<number> {
  await runOnce(db, asked, deps);
  while (await deps.pause(asked.followSeconds)) {
    try {
      await runOnce(db, asked, deps);
    } catch (error) {
      if (!(error instanceof ForeignError)) throw error;
      deps.tell(error.message);
    }
  }
  deps.tell("Stopped. Its users cannot call here until --finish.");
  return 0;
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

async function findNamed(db: Db, asked: ImportArguments): Promise<ImportRow> {
  const row = (await findImport(db, nameOf(asked))) ?? (await findImport(db, asked.address));
  if (row !== undefined) return row;
  throw new ForeignError(`There is no import ${nameOf(asked)}. Name it with --name.`);
}

async function undo(db: Db, asked: ImportArguments, deps: ImportDeps): Promise<number> {
  const row = await findNamed(db, asked);
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
  const dollar = Number((await readQuotaPerUnit(db)) ?? defaultPriceList.QuotaPerUnit);
  const { unlimitedDollars } = asked;
  const reader = await findReader(source, asked.from).open(source, {
    dollar,
    unlimitedDollars,
    readSecret: deps.readSecret,
  });
  const writes = asked.verb !== "dry-run";
  const convert = openConvert(reader.settings.quotaPerUnit, dollar);
  const row = await openImport(db, { reader, source, asked, writes, nowMs: now() });
  const report = openReport({ from: reader.kind, source: source.shown, dryRun: !writes });
  const move: Move = {
    db,
    source,
    reader,
    report,
    writes,
    isRepeated: (row?.finished_at ?? 0) > 0,
    follows: row?.follows === 1,
    isLast: asked.verb === "finish",
    expected: new Map(),
    now,
    convert,
    rules: asked.rules,
    logsSince: asked.logDays === 0 ? null : unixSeconds(startMs) - asked.logDays * daySeconds,
    importId: row?.id ?? 0,
    secrets: deps.secrets,
    policy: deps.policy,
    random: systemRandom,
    taken: new Set(),
    comingUsers: new Set(),
    progress: async (kind, done) => {
      tellProgress(kind, done, deps);
      if (row !== undefined && writes) await noteProgress(db, row, report, told, now());
    },
  };
  const told = { atMs: 0 };
  await moveUsers(move);
  await moveTokens(move);
  await moveChannels(move);
  await moveCodes(move);
  await movePrices(move);
  await moveHistory(move);
  await noteTables(move);
  const rows = await countRows(move);
  const took = Math.ceil((now() - startMs) / 1_000);
  report.seconds = writes ? took : Math.ceil(rows / rowsPerSecond);
  if (row === undefined || !writes) return report;
  if (move.isLast) await finishMove(move, row);
  const finished_at = unixSeconds(now());
  await updateImport(db, row.id, { finished_at, progress: progressOf(report) });
  return report;
}

const daySeconds = 86_400;

/** How many rows are done between two lines that say so. */
const progressEach = 10_000;

function tellProgress(kind: string, done: number, { tell }: ImportDeps): void {
  if (done > 0 && done % progressEach === 0) tell(`${done} ${kind}s`);
}

/** How long a console waits for news of a run, in milliseconds. */
const progressMs = 1_000;

/** Notes from time to time how far the run has come, for consoles. */
async function noteProgress(
  db: Db,
  { id }: ImportRow,
  report: Report,
  told: { atMs: number },
  nowMs: number,
): Promise<void> {
  if (nowMs - told.atMs < progressMs) return;
  told.atMs = nowMs;
  await updateImport(db, id, { progress: progressOf(report) });
}

function progressOf({ rows, sums, check }: Report): string {
  return JSON.stringify({ rows, sums, check });
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
    readonly reader: OpenReader;
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
  if (writes) refuseVerb(asked.verb, name, found);
  if (found !== undefined || !writes) return found;
  const follows = asked.verb === "follow" ? 1 : 0;
  const created_at = unixSeconds(nowMs);
  const row = { name, kind: reader.kind, source: source.shown, created_at, follows };
  return await db.transaction().execute(async (tx) => await createImport(tx, row));
}

/** @throws ForeignError if the import is not at the point where this can be done. */
function refuseVerb(verb: ImportArguments["verb"], name: string, row: ImportRow | undefined): void {
  if (row !== undefined && row.ended_at > 0) {
    throw new ForeignError(`The import ${name} has had its last run; nothing is read any more.`);
  }
  if (verb === "finish" && row === undefined) {
    throw new ForeignError(`There is no import ${name} that could be finished.`);
  }
  if (row?.follows === 0 && (verb === "finish" || verb === "follow")) {
    throw new ForeignError(`The users of the import ${name} can call here already.`);
  }
}

/** Notes the tables that have rows and no place here. */
async function noteTables({ source, reader, report, logsSince }: Move): Promise<void> {
  const { users, tokens, channels, codes, orders, derived } = reader;
  const logs = logsSince === null ? [] : reader.logs;
  const all = [...users, ...tokens, ...channels, ...codes, ...orders, ...logs];
  const read = all.map(({ table }) => table);
  for (const table of source.tables.keys()) {
    if (read.includes(table) || derived.includes(table)) continue;
    const rows = await source.count(table);
    if (rows > 0) report.unplaced.push({ table, column: "", rows, examples: [] });
  }
}
