/**
 * Proofs that somebody reads a mailbox. One is good for one address and one purpose, once, for
 * minutes. The table holds keyed hashes, so whoever reads it can use none.
 */

import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";

const minuteMs = 60_000;

/** How long the digits typed from a letter are good, as the specification says. */
export const codeLastsMs = 3 * minuteMs;

/** How long the link of a letter is good. */
export const linkLastsMs = 10 * minuteMs;

/** Wrong codes until the right one is void as well: five of a million. */
const failuresMax = 5;

/** What a code is good for. */
export type CodePurpose = "register" | "reset" | `bind:${number}`;

/** Kind of the keyed hash a code is found by. */
export const mailCodeKind = "mail-code";

/** What is hashed: a code that leads to one place leads to no other. */
export function codeText(purpose: CodePurpose, address: string, code: string): string {
  return `${purpose}|${address}|${code}`;
}

export type SentCode = {
  readonly purpose: CodePurpose;
  readonly address: string;
  /** Keyed hash of `codeText`. */
  readonly lookup: string;
};

/** Takes the place of the one before; what has expired goes. */
export async function saveCode(tx: Db, code: SentCode & { expiresAt: number }, nowMs: number) {
  await tx.deleteFrom("mail_codes").where("expires_at", "<=", nowMs).execute();
  const { purpose, address, lookup, expiresAt } = code;
  await tx
    .insertInto("mail_codes")
    .values({ purpose, address, lookup, failures: 0, expires_at: expiresAt })
    .onConflict((conflict) =>
      conflict
        .columns(["purpose", "address"])
        .doUpdateSet({ lookup, failures: 0, expires_at: expiresAt }),
    )
    .execute();
}

/** Whether it would be taken just now. */
export async function isCode(db: Db, code: SentCode, nowMs: number): Promise<boolean> {
  const row = await ofPlace(db, code).executeTakeFirst();
  return row !== undefined && row.lookup === code.lookup && row.expires_at > nowMs;
}

/**
 * Uses a code up. A wrong one counts, which has to be committed: the caller returns, and does not
 * throw, when the answer is false.
 *
 * @param guessable long random links are not, and nobody may void them by wrong ones.
 */
export async function takeCode(
  tx: Db,
  code: SentCode,
  { nowMs, guessable }: { readonly nowMs: number; readonly guessable: boolean },
): Promise<boolean> {
  const row = await lockRows(tx, ofPlace(tx, code)).executeTakeFirst();
  if (row === undefined || row.expires_at <= nowMs) return false;
  const isRight = row.lookup === code.lookup;
  if (!isRight && !guessable) return false;
  const place = { purpose: code.purpose, address: code.address };
  if (isRight || row.failures + 1 >= failuresMax) {
    await tx
      .deleteFrom("mail_codes")
      .where("purpose", "=", place.purpose)
      .where("address", "=", place.address)
      .execute();
  } else {
    await tx
      .updateTable("mail_codes")
      .set({ failures: row.failures + 1 })
      .where("purpose", "=", place.purpose)
      .where("address", "=", place.address)
      .execute();
  }
  return isRight;
}

function ofPlace(db: Db, { purpose, address }: SentCode) {
  return db
    .selectFrom("mail_codes")
    .selectAll()
    .where("purpose", "=", purpose)
    .where("address", "=", address);
}
