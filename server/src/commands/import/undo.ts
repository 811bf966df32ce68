/**
 * Takes an import back, within seven days: balances up to what is free, and rows that nobody has
 * used here. The audit log tells of each row, so rows stay, deleted, and give up all their names;
 * the rest is listed. An undo that was ended is continued by the next one.
 */

import type { PriceList } from "@tollgate/contract/money/charge.ts";
import type { Db } from "#db/database.ts";
import { ForeignError } from "#db/foreign.ts";
import { unixSeconds } from "#base/clock.ts";
import { systemActor } from "#modules/audit/audit.ts";
import { removeImportedChannels } from "#modules/channels/imported-channels.ts";
import { listMethods, removeIdentity } from "#modules/identities/identities.ts";
import {
  countJournal,
  findImported,
  findPriceVersion,
  forgetImported,
  type ImportedRow,
  type ImportRow,
  isChannelUsed,
  pageImported,
  readEarnings,
  readTokenState,
  readUserState,
  sumOpenings,
  updateImport,
} from "#modules/import/imports.repo.ts";
import { postEarning, postEntry } from "#modules/ledger/ledger.ts";
import { removeImportedLogs } from "#modules/logs/imported-logs.ts";
import { findPrices, parsePrices, saveDerived } from "#modules/pricing/pricing.ts";
import { retireImportedCode } from "#modules/redemptions/imported-redemptions.ts";
import { retireImportedToken } from "#modules/tokens/imported-tokens.ts";
import { changeImportedUser } from "#modules/users/imported-users.ts";
import { markKey } from "./move-history.ts";
import { pricesKey } from "./move-others.ts";
import { parseSeen, sourceName } from "./move-users.ts";

type Undone = {
  rows: number;
  /** Quota units that were taken from balances. */
  quota: number;
  /** What stays, and why. */
  readonly left: string[];
};

type Undo = {
  readonly importId: number;
  readonly undone: Undone;
  readonly nowMs: number;
};

/** For how long an import can be taken back, in seconds. */
const undoMax = 7 * 86_400;

/** @throws ForeignError if it cannot be taken back any more. */
export async function undoImport(db: Db, row: ImportRow, now: () => number): Promise<Undone> {
  const since = row.finished_at === 0 ? row.created_at : row.finished_at;
  if (unixSeconds(now()) - since > undoMax) {
    throw new ForeignError(`The import ${row.name} ended more than seven days ago.`);
  }
  if ((await countJournal(db)) > 0) {
    throw new ForeignError("There are calls that are not in the books. Start the gateway once.");
  }
  const undone: Undone = { rows: 0, quota: 0, left: [] };
  const undo = { importId: row.id, undone, nowMs: now() };
  await each(db, undo, "token", undoToken);
  await each(db, undo, "user", undoUser);
  await each(db, undo, "channel", undoChannel);
  await each(db, undo, "code", undoCode);
  await undoHistory(db, undo);
  await db.transaction().execute(async (tx) => {
    await undoPrices(tx, undo);
    const name = `${row.name} (undone ${row.id})`;
    await updateImport(tx, row.id, { name, undone_at: unixSeconds(undo.nowMs) });
  });
  return undone;
}

/** How many rows are one transaction. */
const batchSize = 200;
const historyAtOnce = 1_000;

/** Takes each row of a kind back; what stays is listed by `undoRow`. */
async function each(
  db: Db,
  undo: Undo,
  kind: string,
  undoRow: (tx: Db, undo: Undo, row: ImportedRow) => Promise<boolean>,
): Promise<void> {
  for (let after = ""; ;) {
    const rows = await pageImported(db, undo.importId, kind, after, batchSize);
    if (rows.length === 0) return;
    await db.transaction().execute(async (tx) => {
      const gone: string[] = [];
      for (const row of rows) if (await undoRow(tx, undo, row)) gone.push(row.source_id);
      undo.undone.rows += gone.length;
      await forgetImported(tx, undo.importId, kind, gone);
    });
    after = rows.at(-1)?.source_id ?? after;
  }
}

async function undoToken(tx: Db, { undone, nowMs, importId }: Undo, row: ImportedRow) {
  const id = row.target_id;
  const token = await readTokenState(tx, id);
  if (token === undefined || token.DeletedAt !== null) return true;
  if (token.used > 0) {
    undone.left.push(`token ${id}: it was used here`);
    return false;
  }
  const source = sourceName({ importId });
  await retireImportedToken(tx, { id, userId: token.user_id, source, nowMs });
  return true;
}

async function undoUser(tx: Db, undo: Undo, row: ImportedRow): Promise<boolean> {
  const { undone, nowMs, importId } = undo;
  const id = row.target_id;
  const source = sourceName({ importId });
  const cause = `${source}:${row.source_id}`;
  const user = await readUserState(tx, id);
  if (user === undefined) return true;
  const opened = await sumOpenings(tx, id, cause);
  const free = Math.max(0, user.balance - user.held);
  const taken = Math.min(Math.max(0, opened.amount), free);
  const shared = { userId: id, detail: "", nowMs };
  if (taken > 0) {
    const amount = 0 - taken;
    const undoing = `${cause}:undo:${nowMs}`;
    await postEntry(tx, { ...shared, cause: undoing, kind: "opening", amount, most: taken });
    undone.quota += taken;
  }
  const debt = Math.min(opened.debt, user.debt);
  if (debt > 0) {
    const amount = 0 - debt;
    await postEntry(tx, {
      ...shared,
      cause: `${cause}:undo-debt:${nowMs}`,
      kind: "debt_waived",
      amount,
    });
  }
  await undoEarnings(tx, undo, id, cause);
  if (parseSeen(row.seen).isMerged) return true;
  if (user.used > 0) {
    const rest = opened.amount - taken;
    undone.left.push(`user ${id} ${user.username}: called here; ${rest} quota units are not free`);
    return false;
  }
  const name = `undone${id}`;
  const none = { email: "", github_id: "", oidc_id: "", wechat_id: "", telegram_id: "" };
  const names = { username: name, username_key: name, aff_code: name, linux_do_id: "", ...none };
  const columns = { ...names, DeletedAt: new Date(nowMs).toISOString() };
  await changeImportedUser(tx, { id, columns, source, nowMs });
  for (const method of await listMethods(tx, id)) await removeIdentity(tx, id, method);
  return true;
}

async function undoEarnings(tx: Db, { nowMs }: Undo, userId: number, cause: string) {
  const { given, balance } = await readEarnings(tx, userId, cause);
  const amount = Math.min(given, balance);
  if (amount === 0) return;
  await postEarning(tx, {
    account: "invitations",
    cause: `${cause}:undo:${nowMs}`,
    kind: "invite",
    userId,
    amount: 0 - amount,
    detail: "",
    nowMs,
  });
}

async function undoChannel(tx: Db, { undone, nowMs }: Undo, row: ImportedRow) {
  if (await isChannelUsed(tx, row.target_id)) {
    undone.left.push(`channel ${row.target_id}: it was used here`);
    return false;
  }
  await removeImportedChannels(tx, [row.target_id], nowMs);
  return true;
}

async function undoCode(tx: Db, { undone, nowMs }: Undo, row: ImportedRow): Promise<boolean> {
  const isBack = await retireImportedCode(tx, row.target_id, nowMs);
  if (!isBack) undone.left.push(`code ${row.target_id}: it was redeemed here`);
  return isBack;
}

/** Removes orders and calls of before, and the notes up to where they are here. */
async function undoHistory(db: Db, { importId, undone }: Undo): Promise<void> {
  const prefix = `${sourceName({ importId })}:`;
  const removeSome = async (): Promise<number> =>
    await db
      .transaction()
      .execute(async (tx) => await removeImportedLogs(tx, prefix, historyAtOnce));
  for (let removed = await removeSome(); removed > 0; removed = await removeSome()) {
    undone.rows += removed;
  }
  for (const kind of ["order", "log"]) await forgetImported(db, importId, kind, [markKey]);
}

/** Puts the prices of before in force, unless others were saved since. */
async function undoPrices(tx: Db, { importId, undone, nowMs }: Undo): Promise<void> {
  const noted = (await findImported(tx, importId, "prices", [pricesKey])).get(pricesKey);
  if (noted === undefined) return;
  const present = await findPrices(tx);
  const before = await findPriceVersion(tx, noted.target_id);
  const list: PriceList | undefined = before && parsePrices(before)?.list;
  if (list === undefined || String(present?.id) !== noted.seen) {
    undone.left.push("prices: others were saved since");
    return;
  }
  const target = sourceName({ importId });
  const save = { actor: systemActor, reason: `${target} undone`, target, nowMs };
  await saveDerived(tx, { ...save, derive: () => list, hasGroups: false });
}
