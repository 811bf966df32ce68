/** What an import tells: what comes, what is changed on the way, and what has no place here. */

import type { ForeignRow } from "#db/foreign.ts";
import type { RowKind } from "./import.ts";
import { textOf } from "./values.ts";

type Counts = {
  read: number;
  /** Rows that were created, or would be. */
  created: number;
  /** Rows of an earlier run that are not the same any more. */
  changed: number;
  /** Rows of an earlier run that are the same. */
  same: number;
  /** Rows that do not come. */
  left: number;
};

/** Sums over the rows that were created, in quota units of this installation. */
type Sums = {
  balance: number;
  debt: number;
  used: number;
  earnings: number;
  tokenRemain: number;
  codes: number;
  /** What the calls of the log have cost. */
  logs: number;
};

type Note = { readonly kind: RowKind; readonly id: string; readonly what: string };

type Unplaced = {
  readonly table: string;
  /** Empty: the whole table. */
  readonly column: string;
  rows: number;
  /** The first values, masked. */
  readonly examples: string[];
};

export type Report = {
  readonly from: string;
  readonly source: string;
  readonly dryRun: boolean;
  readonly rows: Record<RowKind, Counts>;
  readonly sums: Sums;
  /** What becomes of a row otherwise than it was there. */
  readonly changes: Note[];
  /** Rows that do not come, and why. */
  readonly faults: Note[];
  /** How many users of the sums may spend any amount there. */
  unlimitedUsers: number;
  /** Notes that were not listed, because there are too many. */
  unlisted: number;
  readonly unplaced: Unplaced[];
  prices: number;
  /** Compares what users should have with what they have here, after a last run; null: it was none. */
  check: Check | null;
  /** How long the run will take, in seconds; of a run, how long it took. */
  seconds: number;
};

type Check = {
  readonly users: number;
  /** Balances less debts, in quota units. */
  readonly there: number;
  readonly here: number;
  /** The first users with another amount here, as they were topped up meanwhile. */
  readonly different: readonly {
    readonly username: string;
    readonly there: number;
    readonly here: number;
  }[];
};

const noCounts = (): Counts => ({ read: 0, created: 0, changed: 0, same: 0, left: 0 });

export function openReport(of: Pick<Report, "dryRun" | "from" | "source">): Report {
  return {
    ...of,
    rows: {
      user: noCounts(),
      token: noCounts(),
      channel: noCounts(),
      code: noCounts(),
      order: noCounts(),
      log: noCounts(),
    },
    sums: { balance: 0, debt: 0, used: 0, earnings: 0, tokenRemain: 0, codes: 0, logs: 0 },
    changes: [],
    faults: [],
    unlimitedUsers: 0,
    unlisted: 0,
    unplaced: [],
    prices: 0,
    check: null,
    seconds: 0,
  };
}

/** How many notes of each list are kept. */
const notesMax = 1_000;

export function noteChange(report: Report, note: Note): void {
  if (report.changes.length < notesMax) report.changes.push(note);
  else report.unlisted += 1;
}

/** Notes that a row does not come. */
export function noteFault(report: Report, note: Note): void {
  report.rows[note.kind].left += 1;
  if (report.faults.length < notesMax) report.faults.push(note);
  else report.unlisted += 1;
}

/** How many masked values are shown of what has no place. */
const examplesMax = 3;

/** Values that say nothing. */
const blanks: ReadonlySet<string> = new Set(["", "0", "[]", "null", "{}"]);

/** Counts the values of columns that nothing has asked for. */
export function noteUnplaced(
  report: Report,
  table: string,
  row: ForeignRow,
  known: ReadonlySet<string>,
): void {
  for (const [column, value] of Object.entries(row)) {
    if (known.has(column)) continue;
    const text = textOf(value);
    if (blanks.has(text)) continue;
    let found = report.unplaced.find((one) => one.table === table && one.column === column);
    if (found === undefined) {
      found = { table, column, rows: 0, examples: [] };
      report.unplaced.push(found);
    }
    found.rows += 1;
    if (found.examples.length < examplesMax) found.examples.push(mask(text));
  }
}

const maskShows = 2;
const maskMax = 12;

function mask(text: string): string {
  return `${text.slice(0, maskShows)}${"•".repeat(Math.min(maskMax, Math.max(1, text.length - maskShows)))}`;
}

function checkLines({ users, there, here, different }: Check): string[] {
  const same = there === here && different.length === 0 ? "equal" : "not equal";
  return [
    `check    ${users} users: ${there} quota units there, ${here} here: ${same}`,
    ...different.map((one) => `differs  ${one.username}: ${one.there} there, ${one.here} here`),
  ];
}

/** Writes a report for people, line by line. */
export function reportLines(report: Report): string[] {
  const lines = [
    `From ${report.from} at ${report.source}${report.dryRun ? " (nothing is written)" : ""}`,
  ];
  for (const [kind, counts] of Object.entries(report.rows)) {
    const { read, created, changed, same, left } = counts;
    lines.push(
      `${`${kind}s`.padEnd(9)}${read} read, ${created} new, ${changed} changed, ${same} as before, ${left} left out`,
    );
  }
  const { balance, debt, used, earnings, tokenRemain, codes, logs } = report.sums;
  lines.push(
    `sums     balances ${balance}, debts ${debt}, used before ${used}, earnings ${earnings}, ` +
      `quota of keys ${tokenRemain}, quota of codes ${codes}, calls of the log ${logs} (quota units)`,
    `prices   ${report.prices} entries`,
  );
  if (report.unlimitedUsers > 0) {
    lines.push(
      `no limit ${report.unlimitedUsers} of them may spend any amount there; here they get what ` +
        "--unlimited says, in dollars (0)",
    );
  }
  for (const { kind, id, what } of report.changes) lines.push(`change   ${kind} ${id}: ${what}`);
  for (const { kind, id, what } of report.faults) lines.push(`left out ${kind} ${id}: ${what}`);
  if (report.unlisted > 0) lines.push(`… and ${report.unlisted} more changes and rows left out`);
  for (const { table, column, rows, examples } of report.unplaced) {
    const what = column === "" ? table : `${table}.${column}`;
    const shown = examples.length === 0 ? "" : `, such as ${examples.join(", ")}`;
    lines.push(`no place ${what}: ${rows} rows${shown}`);
  }
  if (report.check !== null) lines.push(...checkLines(report.check));
  const time = report.dryRun ? "The run will take about" : "It took";
  return [...lines, `${time} ${report.seconds} seconds.`];
}
