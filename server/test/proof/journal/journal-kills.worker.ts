/**
 * The writer of the product in a process that dies at one statement: `TOLLGATE_TEST_KILL` is a
 * `KillPoint` as JSON.
 */

import { Database, type Statement } from "bun:sqlite";
import pg from "pg";
import "#workers/writer.worker.ts";
import type { KillPoint } from "./journal-kills.ts";

const given = process.env["TOLLGATE_TEST_KILL"] ?? "";
// Safe cast: the test has written it.
const point = given === "" ? undefined : (JSON.parse(given) as KillPoint);
let passed = 0;
let isArmed = point?.behind === undefined;

/** Notes that a statement begins or has ended, and ends the process if it is the one. */
function reach(when: KillPoint["when"], text: string): void {
  if (point === undefined) return;
  const isOne = isArmed && when === point.when && new RegExp(point.statement).test(text);
  if (isOne) {
    passed += 1;
    if (passed === point.nth) process.kill(process.pid, "SIGKILL");
  }
  if (when === "after" && point.behind !== undefined && new RegExp(point.behind).test(text)) {
    isArmed = true;
  }
}

function around<Result>(text: string, run: () => Result): Result {
  reach("before", text);
  const result = run();
  if (!(result instanceof Promise)) {
    reach("after", text);
    return result;
  }
  const ended = result.then((value: unknown) => {
    reach("after", text);
    return value;
  });
  // Safe cast: the promise of what `run` promised.
  return ended as Result;
}

/** Statements of one text are one object, which is followed once. */
const followed = new WeakSet<Statement>();

function follow(statement: Statement, text: string): Statement {
  if (followed.has(statement)) return statement;
  followed.add(statement);
  const { all, get, run } = statement;
  statement.all = (...values) => around(text, () => all.apply(statement, values));
  statement.get = (...values) => around(text, () => get.apply(statement, values));
  statement.run = (...values) => around(text, () => run.apply(statement, values));
  return statement;
}

const { prepare, query } = Database.prototype;
Database.prototype.prepare = function followPrepared(this: Database, text: string) {
  return follow(prepare.call(this, text), text);
} as typeof prepare;
Database.prototype.query = function followQuery(this: Database, text: string) {
  return follow(query.call(this, text), text);
} as typeof query;

const send = pg.Client.prototype.query as (...input: unknown[]) => unknown;
pg.Client.prototype.query = function followSent(this: pg.Client, ...input: unknown[]) {
  const [first] = input;
  const text = typeof first === "string" ? first : String((first as { text?: string }).text);
  return around(text, () => send.apply(this, input));
} as typeof pg.Client.prototype.query;
