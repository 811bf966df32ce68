/**
 * Codes that prove control of a mailbox. A code is valid once, for one address and one purpose, for
 * a few minutes. The table stores keyed hashes, so reading it reveals no codes.
 */

import type { Counted } from "#base/attempts.ts";
import type { RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import type { Options } from "#modules/options/options.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** How long an e-mailed code is valid. Source: the specification. */
export const codeLastsMs = 3 * minuteMs;

/**
 * The number of wrong codes after which the correct one is void too. So a guesser has five tries at
 * one of a million codes.
 */
const failuresMax = 5;

/**
 * What a code may be used for. The purposes `bind` and `undo` include the id of the only user for
 * whom the code is valid.
 */
export type CodePurpose = "register" | "reset" | `bind:${number}` | `undo:${number}`;

export type SentCode = {
  readonly purpose: CodePurpose;
  readonly address: string;
  /** Keyed hash of purpose, address and code. */
  readonly lookup: string;
};

/**
 * Brings a code to the form in which it is stored. Its hash covers purpose and address, so the code
 * is valid for nothing else.
 */
export function sentCode(
  secrets: Secrets,
  { purpose, address }: Pick<SentCode, "address" | "purpose">,
  code: string,
): SentCode {
  const lookup = secrets.lookup("mail-code", `${purpose}|${address}|${code}`);
  return { purpose, address, lookup };
}

/** A code with its expiry, as it is saved. */
export type SavedCode = SentCode & {
  /** Unix milliseconds. */
  readonly expiresAt: number;
};

/**
 * Saves a code in place of the previous one of the same purpose and address, and removes expired
 * codes.
 */
export async function saveCode(tx: Db, code: SavedCode, nowMs: number): Promise<void> {
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

/** Returns when the code of a purpose and an address ends that is valid now; undefined: there is none. */
export async function findExpiry(
  db: Db,
  place: Pick<SentCode, "address" | "purpose">,
  nowMs: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom("mail_codes")
    .select("expires_at")
    .where("purpose", "=", place.purpose)
    .where("address", "=", place.address)
    .where("expires_at", ">", nowMs)
    .executeTakeFirst();
  return row?.expires_at;
}

/**
 * Uses up the code of an e-mailed link. Such a code is long and random, so wrong ones are not
 * counted.
 * @returns undefined if it is not the code that was sent.
 */
export async function takeLink(
  tx: Db,
  code: SentCode,
  nowMs: number,
): Promise<{ readonly expiresAt: number } | undefined> {
  const row = await ofPlace(tx, code).executeTakeFirst();
  const taken = await takeCode(tx, code, { nowMs, guessable: false });
  return row === undefined || !taken ? undefined : { expiresAt: row.expires_at };
}

/** Removes the stored code of a purpose and an address, if there is one. */
export async function dropCode(
  tx: Db,
  { purpose, address }: Pick<SentCode, "address" | "purpose">,
): Promise<void> {
  await tx
    .deleteFrom("mail_codes")
    .where("purpose", "=", purpose)
    .where("address", "=", address)
    .execute();
}

/** Removes the codes of a purpose that expire at the time `expiresAt` or later. */
export async function dropCodesSince(
  tx: Db,
  purpose: CodePurpose,
  expiresAt: number,
): Promise<void> {
  await tx
    .deleteFrom("mail_codes")
    .where("purpose", "=", purpose)
    .where("expires_at", ">=", expiresAt)
    .execute();
}

/** Whether a code is valid now, without using it up. */
export async function isCode(db: Db, code: SentCode, nowMs: number): Promise<boolean> {
  const row = await ofPlace(db, code).executeTakeFirst();
  return row !== undefined && row.lookup === code.lookup && row.expires_at > nowMs;
}

/**
 * Uses up a code.
 * @param guessable whether wrong codes are counted, so that the code becomes void after a few.
 * False for the long random codes of links, so that nobody can void them.
 * @returns false if the code is wrong. The caller must then return instead of throwing, because
 * throwing would roll the count back.
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
    await dropCode(tx, place);
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

const pauseRule: RateRule = { name: "mail-pause", windowMs: 30_000, max: 1, exact: true };
const addressRule: RateRule = { name: "mail-address", windowMs: hourMs, max: 5, exact: true };
const clientRule: RateRule = { name: "mail-client", windowMs: hourMs, max: 10, exact: true };
const everybodyRule: RateRule = { name: "mail-everybody", windowMs: hourMs, max: 200, exact: true };

/**
 * Returns the rate limits for e-mails that anybody can request. A request counts even if no e-mail
 * is sent.
 */
export function mailRules(address: string, clientBlock: string): Counted[] {
  return [
    [clientRule, clientBlock],
    [pauseRule, address],
    [addressRule, address],
    [everybodyRule, ""],
  ];
}

/**
 * Checks an e-mail address by the options, such as the list of allowed domains.
 * @throws Refusal `not-allowed` if the options do not allow the address.
 */
export function checkMailAddress(address: string, readOption: Options["read"]): void {
  const [local = "", domain = ""] = address.split("@");
  const isListed = readOption("EmailDomainWhitelist").includes(domain);
  if (readOption("EmailDomainRestrictionEnabled") && !isListed) {
    throw new Refusal("not-allowed", "管理员启用了邮箱域名白名单，您的邮箱域名不在其中");
  }
  if (readOption("EmailAliasRestrictionEnabled") && /[+.]/.test(local)) {
    throw new Refusal(
      "not-allowed",
      "管理员已启用邮箱地址别名限制，您的邮箱地址由于包含特殊符号而被拒绝",
    );
  }
}
