/**
 * The command `tollgate mend-charges`: tells which calls earlier versions have charged too little or
 * perhaps too much, and gives back what was too much of those that root names. Root proves to be root as for a step-up in the console:
 * by a code of the second factor, or by the password where there is none.
 */

import type { Secrets } from "#base/secrets.ts";
import { type DatabaseAddress, openDatabase } from "#db/connection.ts";
import type { Db } from "#db/database.ts";
import { requireSchema } from "#db/migrator.ts";
import type { Actor } from "#modules/audit/audit.ts";
import { proveRoot } from "#modules/second-factor/second-factor.ts";
import type { MendArguments } from "./mend-arguments.ts";
import { mendCharge } from "./mend-charge.ts";
import { findNamedCall, findWrongCharges, type WrongCharge, wrongOf } from "./wrong-charges.ts";

type MendDeps = {
  readonly print: (line: string) => void;
  /** Asks root for a line, such as a code. */
  readonly ask: (question: string) => Promise<string>;
  readonly verify: (password: string, hash: string) => Promise<boolean>;
  readonly secrets: Pick<Secrets, "lookup" | "open">;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Runs the command. @returns the exit code. */
export async function runMendCharges(
  address: DatabaseAddress,
  { since, refunds, calls }: MendArguments,
  deps: MendDeps,
): Promise<number> {
  const { print } = deps;
  const { db, dialect, close } = openDatabase(address, refunds ? "writer" : "reader");
  try {
    await requireSchema(db, dialect);
    const named = await findNamed(db, calls, print);
    if (named === null) return 1;
    const found = await list(db, since, named, print);
    const perhaps = found.filter((one) => wrongOf(one) > 0);
    print(
      `${perhaps.length} calls were perhaps charged too much, by ${sumOf(perhaps)} quota units at most.`,
    );
    print(`${named.length} calls are named, with ${sumOf(named)} quota units.`);
    for (const line of unknowns) print(line);
    if (!refunds) {
      if (named.length > 0) print("Give this back by the same command with --refund.");
      return 0;
    }
    if (calls.length === 0) {
      print("Nothing was given back: name each call with --call.");
      return 1;
    }
    const actor = await proveRoot(db, deps);
    if (actor === null) {
      print("That is not right. Nothing was given back.");
      return 1;
    }
    return await refundAll(db, named, actor, deps);
  } finally {
    await close();
  }
}

function sumOf(calls: readonly WrongCharge[]): number {
  return calls.reduce((total, one) => total + wrongOf(one), 0);
}

/** What the log rows of earlier versions do not say. */
const unknowns = [
  "Only calls of the versions before the update that mended these charges are judged.",
  "How long an answer was that did not end, and whether a picture came, is not stored: calls of " +
    "these kinds are listed without what is due. Look a call up in the log by its id; if its " +
    "pictures never came, name it with --call.",
  "What a provider's cache held is known from calls of the same API key, model and channel that " +
    "ended within five minutes before. Whether the prompt of a stream that was left was the one in " +
    "the cache is not stored: what is due holds only if it was. If its user or the provider's own " +
    "records say so, name it with --call. Whether a stream was translated is not stored either; " +
    "those that were counted here are judged. Calls whose log rows were removed are not found.",
];

async function findNamed(
  db: Db,
  calls: readonly string[],
  print: (line: string) => void,
): Promise<WrongCharge[] | null> {
  const named: WrongCharge[] = [];
  for (const id of new Set(calls)) {
    const call = await findNamedCall(db, id);
    if (call === null) {
      print(`${id}: no call that an earlier version has charged too much, as far as its row tells`);
      return null;
    }
    if (call === "given back") print(`${id}: was given back before`);
    else named.push(call);
  }
  return named;
}

/** Prints the calls that root has named and those that are found, and returns the latter. */
async function list(
  db: Db,
  since: number,
  named: readonly WrongCharge[],
  print: (line: string) => void,
): Promise<WrongCharge[]> {
  const byId = new Map(named.map((one) => [one.row.request_id, one]));
  for (const one of named) print(lineOf(one));
  const found: WrongCharge[] = [];
  for await (const one of findWrongCharges(db, since)) {
    if (byId.has(one.row.request_id)) continue;
    print(lineOf(one));
    found.push(one);
  }
  return found;
}

const reasons = {
  "cut-short": "a stream that did not end, charged by what the upstream had reported by then",
  "left-cached": "a stream that did not end, counted here without the provider's cache",
  "no-picture": "a call for pictures: charged although none may have come",
} as const satisfies Record<WrongCharge["kind"], string>;

function lineOf(one: WrongCharge): string {
  const { row, due, kind, shownBy, others } = one;
  const at = new Date(row.created_at * 1_000).toISOString().slice(0, 19);
  const perhaps = shownBy === null ? "" : "perhaps ";
  const verdict =
    due === null
      ? "due: not known"
      : `${perhaps}due: ${due}, ${due > row.quota ? `too little by ${due - row.quota}` : `too much by ${wrongOf(one)} at most`}`;
  const otherwise = others === 0 ? "" : `; ${others} other calls before it tell otherwise`;
  const source =
    shownBy === null
      ? ""
      : ` (if its prompt was the one that call ${shownBy} left there${otherwise})`;
  return (
    `${at}Z ${row.request_id} user=${row.user_id} model=${row.model_name} charged: ${row.quota}, ` +
    `${verdict}: ${reasons[kind]}${source}`
  );
}

async function refundAll(
  db: Db,
  due: readonly WrongCharge[],
  actor: Actor,
  { now, print }: MendDeps,
): Promise<number> {
  let count = 0;
  let sum = 0;
  for (const one of due) {
    const { row, kind } = one;
    const amount = wrongOf(one);
    const mending = { row, amount, reason: reasons[kind], actor, nowMs: now() };
    const isDone = await db.transaction().execute(async (tx) => await mendCharge(tx, mending));
    if (!isDone) continue;
    count += 1;
    sum += amount;
    print(`${row.request_id}: ${amount} quota units were given back`);
  }
  print(`${sum} quota units of ${count} calls were given back.`);
  return 0;
}
