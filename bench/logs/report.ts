/** Writes what the report says of the long log: a section for each database. */

import type { Dialect } from "@tollgate/server/src/db/dialect.ts";
import type { Latency } from "#bench/load/load-job.ts";
import type { LogResult, Result } from "#bench/result.ts";
import { logTargetsOf } from "#bench/summary.ts";
import { fixed, table, targetTable, whole } from "#bench/table.ts";

const heading = "## A long log";
const headings: Readonly<Record<Dialect, string>> = {
  sqlite: "### On SQLite",
  postgres: "### On PostgreSQL",
};

const intro = `The rows are charged calls of the last 30 days, of 10,000 users with 20,000 tokens, 50 models and 30 channels, each call another choice of these: so the roll-up has nearly as many rows as the log. They are made with the ledger's own functions while the product is stopped, and loaded in bulk, so the audit covers them like any other. Each filter is read over the whole time, as a list, as its page 500 and as a sum, one read after the other, while calls are relayed. The dashboard of all users has no target: it ranks every token that called in the time. Then the oldest third of the rows is removed in the background.`;

/** Returns the part of a report about the long log: a new section, and those of `before`. */
export function logSections(result: Result, before: string): string[] {
  const sections = (["sqlite", "postgres"] as const).flatMap((dialect) => {
    const section =
      result.log?.database === dialect ? newSection(result.log, result) : find(before, dialect);
    return section === "" ? [] : [section];
  });
  return sections.length === 0 ? [] : [heading, intro, ...sections];
}

/** Replaces a section in a report. */
export function replaceLog(report: string, result: Result): string {
  const start = report.indexOf(heading);
  const end = report.indexOf("\n## ", start);
  if (start === -1 || end === -1) throw new Error(`the report has no part "${heading}"`);
  return `${report.slice(0, start)}${logSections(result, report).join("\n\n")}\n${report.slice(end)}`;
}

/** Finds a section in a report; `""` if there is none. */
function find(report: string, dialect: Dialect): string {
  const start = report.indexOf(headings[dialect]);
  if (start === -1) return "";
  const end = report.slice(start + 1).search(/\n##/);
  return report.slice(start, end === -1 ? undefined : start + 1 + end).trim();
}

function newSection(log: LogResult, { about, logLedger }: Result): string {
  const pair = (of: { readonly p50Ms: number; readonly p99Ms: number }, digits: number): string =>
    `${fixed(of.p50Ms, digits)} / ${fixed(of.p99Ms, digits)}`;
  const latency = (of: Latency): string => pair(of, 2);
  return [
    headings[log.database],
    targetTable(logTargetsOf(log)),
    `Reads while ${whole(log.callsPerSecond)} calls a second are relayed, p50 / p99 in ms:`,
    table(
      ["", `${whole(log.rows)} rows`, "times"],
      log.reads.map((read) => [read.what, pair(read, 1), whole(read.times)]),
    ),
    "The calls, p50 / p99 in ms, and sizes:",
    table(
      ["", ""],
      [
        ["calls without reads", latency(log.quiet)],
        ["calls during constant reads", latency(log.reading)],
        ["calls while old rows are removed", latency(log.cleaning.calls)],
        ["rows removed a second", whole(log.cleaning.rowsPerSecond)],
        ["rows of the hourly roll-up", whole(log.hours)],
        ["rows of the totals without users and tokens", whole(log.totals)],
        ["size of the database, MB", whole(log.megabytes)],
        ["RSS of Tollgate, MiB", fixed(log.restMiB, 0)],
        ["seconds to load the rows", fixed(log.seedSeconds, 0)],
        ["commit, date", `${about.commit}, ${about.date}`],
      ],
    ),
    ...(logLedger === null ? [] : [`Afterwards \`tollgate audit\` says: ${logLedger.audit}.`]),
  ].join("\n\n");
}
