/** Moves API keys here, so that they keep working, whatever their shape. */

import { characterCount, isPlain } from "@tollgate/contract/fields/fields.ts";
import { tokenNameMax } from "@tollgate/contract/endpoints/tokens.ts";
import type { Db } from "#db/database.ts";
import type { NeutralToken } from "#modules/import/import.ts";
import { findImported, type ImportedRow, noteImported } from "#modules/import/imports.repo.ts";
import { noteChange } from "#modules/import/report.ts";
import { RowFault } from "#modules/import/values.ts";
import { openCounters } from "#modules/ledger/ledger.ts";
import {
  addImportedToken,
  changeImportedToken,
  faultyAddresses,
  isKeyTaken,
} from "#modules/tokens/imported-tokens.ts";
import { judged, type Move, moveTables } from "./move.ts";
import { sourceName } from "./move-users.ts";

/** Keys are sent in a header; the relay does not look longer ones up. */
const keyForm = /^[\x21-\x7e]{1,256}$/;

export async function moveTokens(move: Move): Promise<void> {
  const { importId, report } = move;
  await moveTables(move, "token", move.reader.tokens, async (tx, rows) => {
    const ids = rows.map(({ id }) => id);
    const known = await findImported(tx, importId, "token", ids);
    const owners = rows.map(({ userId }) => userId);
    const users = await findImported(tx, importId, "user", owners);
    const opened = await findImported(tx, importId, "opened", owners);
    for (const token of rows) {
      if (opened.has(token.userId)) {
        report.rows.token.same += 1;
        continue;
      }
      const before = known.get(token.id);
      const userId = users.get(token.userId)?.target_id ?? 0;
      if (before !== undefined) await moveAgain(move, tx, token, { ...before, userId });
      else if (token.isDeleted) report.rows.token.left += 1;
      else await moveNew(move, tx, token, userId);
    }
  });
}

type Seen = {
  readonly remain: number;
  readonly used: number;
  readonly status: number;
  readonly expires: number;
};

function seenOf({ remain, usedQuota, status, expiredTime }: NeutralToken): Seen {
  return { remain, used: usedQuota, status, expires: expiredTime };
}

async function moveNew(move: Move, tx: Db, token: NeutralToken, userId: number): Promise<void> {
  const { report, convert, secrets, taken } = move;
  await judged(move, "token", token.id, async () => {
    await judgeToken(move, tx, token, userId);
    const remain = token.isUnlimited ? 0 : Math.max(0, convert("remain_quota", token.remain));
    const used = Math.max(0, convert("used_quota", token.usedQuota));
    const budgets = {
      day: convert("budget", token.budgets.day),
      week: convert("budget", token.budgets.week),
      month: convert("budget", token.budgets.month),
    };
    report.rows.token.created += 1;
    report.sums.tokenRemain += remain;
    if (!move.writes) {
      taken.add(`key ${token.key}${token.keyHash}`);
      return;
    }
    const source = sourceName(move);
    const name = nameOf(move, token);
    if (token.loss !== "") noteChange(report, { kind: "token", id: token.id, what: token.loss });
    const importing = { token, userId, name, remain, budgets, secrets, source, nowMs: move.now() };
    const id = await addImportedToken(tx, importing);
    await openCounters(tx, { kind: "token", id, used_quota: used, request_count: 0 });
    const seen = JSON.stringify(seenOf(token));
    await noteImported(tx, move.importId, "token", { source_id: token.id, target_id: id, seen });
  });
}

async function judgeToken(
  { comingUsers, secrets, taken }: Move,
  db: Db,
  token: NeutralToken,
  userId: number,
): Promise<void> {
  if (userId === 0 && !comingUsers.has(token.userId)) {
    throw new RowFault("user_id", "is of a user who does not come");
  }
  if (token.keyHash === "" && !keyForm.test(token.key)) {
    throw new RowFault("key", "has characters that no key can have");
  }
  const key = `key ${token.key}${token.keyHash}`;
  if (taken.has(key) || (await isKeyTaken(db, secrets, token))) {
    throw new RowFault("key", "is the key of another token");
  }
  const [line] = faultyAddresses(token);
  // Without the line the token would be open to more addresses than its owner allowed.
  if (line !== undefined) throw new RowFault("allow_ips", "has a line that is no address");
}

/** The name, if a console can show and save it. */
function nameOf({ report }: Move, { id, name }: NeutralToken): string {
  const plain = name.trim();
  if (plain !== "" && isPlain(plain) && characterCount(plain) <= tokenNameMax) return plain;
  const cut = isPlain(plain) ? [...plain].slice(0, tokenNameMax).join("") : "";
  const made = cut === "" ? `key ${id}` : cut;
  if (plain !== "") noteChange(report, { kind: "token", id, what: `is renamed to ${made}` });
  return made;
}

/** Brings what has changed at the source since an earlier run. */
async function moveAgain(
  move: Move,
  tx: Db,
  token: NeutralToken,
  { target_id: id, seen: text, userId }: ImportedRow & { readonly userId: number },
): Promise<void> {
  const { report, convert } = move;
  const now = seenOf(token);
  if (JSON.stringify(now) === text) {
    report.rows.token.same += 1;
    return;
  }
  await judged(move, "token", token.id, async () => {
    // Safe cast: `seenOf` made the text.
    const before = JSON.parse(text) as Seen;
    const change = Math.max(0, now.remain) - Math.max(0, before.remain);
    const delta = token.isUnlimited ? 0 : convert("remain_quota", change);
    const used = Math.max(0, convert("used_quota", now.used - before.used));
    report.rows.token.changed += 1;
    report.sums.tokenRemain += delta;
    if (!move.writes) return;
    const status = token.isDeleted ? disabled : token.status;
    const { expiredTime } = token;
    const source = sourceName(move);
    const changing = { id, userId, status, expiredTime, delta, source, nowMs: move.now() };
    await changeImportedToken(tx, changing);
    await openCounters(tx, { kind: "token", id, used_quota: used, request_count: 0 });
    const seen = JSON.stringify(now);
    await noteImported(tx, move.importId, "token", { source_id: token.id, target_id: id, seen });
  });
}

const disabled = 2;
