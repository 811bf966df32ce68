/** Binds an e-mail address to a user, who has sent the code that proves it. */

import type { Db } from "#db/database.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { updateAccount } from "#modules/users/users.ts";
import { giveAddress, mailMethod, removeIdentity } from "./identities.ts";
import { type SentCode, takeCode } from "./mail-codes.ts";
import { lockAddress, type MailUndo, saveUndo } from "./mail-undo.repo.ts";

type MailBinding = {
  readonly actor: Actor;
  readonly code: SentCode;
  /** What can undo the change; null if the user had no address before. */
  readonly undo: MailUndo | null;
  readonly nowMs: number;
};

/** Replaces the user's e-mail address. @returns false if the code is not the one that was sent. */
export async function bindMail(
  tx: Db,
  { actor, code, undo, nowMs }: MailBinding,
): Promise<boolean> {
  if (!(await takeCode(tx, code, { nowMs, guessable: true }))) return false;
  const { userId } = actor;
  await lockAddress(tx, userId, undo);
  if (undo !== null) await saveUndo(tx, undo, nowMs);
  await removeIdentity(tx, userId, mailMethod);
  await updateAccount(tx, userId, { email: "" });
  await giveAddress(tx, userId, code.address, nowMs);
  const detail = { method: mailMethod, subject: code.address };
  await appendAudit(tx, { actor, action: "user.bind", target: `user:${userId}`, detail, nowMs });
  return true;
}
