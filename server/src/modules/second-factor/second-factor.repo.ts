/**
 * All queries on the tables of second factors, and the queries of this module on users and
 * sessions.
 */

import type { Insertable, Selectable } from "kysely";
import type { Db } from "#db/database.ts";
import type {
  FactorTicketTable,
  PasskeyTable,
  RecoveryCodeTable,
  TotpTable,
} from "#db/tables/second-factor.ts";
import type { UserTable } from "#db/tables/users.ts";

export type PasskeyRow = Selectable<PasskeyTable>;
export type TicketPurpose = FactorTicketTable["purpose"];

/** A user who signs in or proves a second factor. */
export type Person = Pick<
  Selectable<UserTable>,
  | "display_name"
  | "group"
  | "id"
  | "password_expired"
  | "password_hash"
  | "role"
  | "status"
  | "username"
>;

/** Finds a user. Undefined if the user does not exist or was deleted. */
export async function findPerson(db: Db, id: number): Promise<Person | undefined> {
  return await db
    .selectFrom("users")
    .select(["id", "username", "display_name", "role", "status", "group"])
    .select(["password_hash", "password_expired"])
    .where("id", "=", id)
    .where("DeletedAt", "is", null)
    .executeTakeFirst();
}

/** Reads when a second factor was proven in a session, in Unix milliseconds; 0 for never. */
export async function readFactorTime(db: Db, sessionId: string): Promise<number> {
  const row = await db
    .selectFrom("sessions")
    .select("factor_at")
    .where("id", "=", sessionId)
    .executeTakeFirst();
  return row?.factor_at ?? 0;
}

/**
 * Reads when the user of a session signed in, in Unix milliseconds; 0 if there is no such session.
 */
export async function readSessionStart(db: Db, sessionId: string): Promise<number> {
  const row = await db
    .selectFrom("sessions")
    .select("created_at")
    .where("id", "=", sessionId)
    .executeTakeFirst();
  return row?.created_at ?? 0;
}

export type Factors = {
  readonly totp: TotpTable | undefined;
  /** The user's passkeys, oldest first. */
  readonly passkeys: readonly PasskeyRow[];
  readonly recoveryCodes: number;
};

export async function readFactors(db: Db, userId: number): Promise<Factors> {
  const totp = await db
    .selectFrom("totp_secrets")
    .selectAll()
    .where("user_id", "=", userId)
    .executeTakeFirst();
  const passkeys = await db
    .selectFrom("passkeys")
    .selectAll()
    .where("user_id", "=", userId)
    .orderBy("id")
    .execute();
  const { count } = await db
    .selectFrom("recovery_codes")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("user_id", "=", userId)
    .executeTakeFirstOrThrow();
  return { totp, passkeys, recoveryCodes: Number(count) };
}

/**
 * Whether the user has a second factor and must prove it. A TOTP secret counts only after one of
 * its codes was verified.
 */
export function hasFactor({ totp, passkeys }: Factors): boolean {
  return passkeys.length > 0 || (totp !== undefined && totp.confirmed_at > 0);
}

/**
 * Stores a TOTP secret that no code has confirmed yet. It replaces an unconfirmed one, but never a
 * confirmed one.
 * @returns false if a confirmed secret exists.
 */
export async function saveSecret(tx: Db, row: TotpTable): Promise<boolean> {
  const saved = await tx
    .insertInto("totp_secrets")
    .values(row)
    .onConflict((conflict) =>
      conflict
        .column("user_id")
        .doUpdateSet({ sealed: row.sealed, last_step: row.last_step })
        .where("totp_secrets.confirmed_at", "=", 0),
    )
    .returning("user_id")
    .executeTakeFirst();
  return saved !== undefined;
}

/**
 * Marks a user's TOTP secret as confirmed. Returns false if it was replaced or removed, or is
 * confirmed already.
 */
export async function confirmSecret(
  tx: Db,
  { user_id, sealed, confirmed_at, last_step }: TotpTable,
): Promise<boolean> {
  const confirmed = await tx
    .updateTable("totp_secrets")
    .set({ confirmed_at, last_step })
    .where("user_id", "=", user_id)
    .where("sealed", "=", sealed)
    .where("confirmed_at", "=", 0)
    .returning("user_id")
    .executeTakeFirst();
  return confirmed !== undefined;
}

/**
 * Marks the code of a 30-second step as used. Returns false if the code of this step or a later one
 * was used before.
 */
export async function spendStep(tx: Db, userId: number, step: number): Promise<boolean> {
  const spent = await tx
    .updateTable("totp_secrets")
    .set({ last_step: step })
    .where("user_id", "=", userId)
    .where("confirmed_at", ">", 0)
    .where("last_step", "<", step)
    .returning("user_id")
    .executeTakeFirst();
  return spent !== undefined;
}

/** Uses up a recovery code. Returns false if it does not exist or was already used. */
export async function spendRecoveryCode(tx: Db, code: RecoveryCodeTable): Promise<boolean> {
  const spent = await tx
    .deleteFrom("recovery_codes")
    .where("user_id", "=", code.user_id)
    .where("lookup", "=", code.lookup)
    .returning("lookup")
    .executeTakeFirst();
  return spent !== undefined;
}

export async function replaceRecoveryCodes(
  tx: Db,
  userId: number,
  lookups: readonly string[],
): Promise<void> {
  await tx.deleteFrom("recovery_codes").where("user_id", "=", userId).execute();
  if (lookups.length === 0) return;
  const rows = lookups.map((lookup) => ({ user_id: userId, lookup }));
  await tx.insertInto("recovery_codes").values(rows).execute();
}

export async function removeSecret(tx: Db, userId: number): Promise<boolean> {
  const removed = await tx
    .deleteFrom("totp_secrets")
    .where("user_id", "=", userId)
    .returning("user_id")
    .executeTakeFirst();
  return removed !== undefined;
}

/** Stores a new passkey. Returns false if it is already registered. */
export async function insertPasskey(tx: Db, row: Insertable<PasskeyTable>): Promise<boolean> {
  const inserted = await tx
    .insertInto("passkeys")
    .values(row)
    .onConflict((conflict) => conflict.column("credential_id").doNothing())
    .returning("id")
    .executeTakeFirst();
  return inserted !== undefined;
}

export async function findPasskey(db: Db, credentialId: string): Promise<PasskeyRow | undefined> {
  return await db
    .selectFrom("passkeys")
    .selectAll()
    .where("credential_id", "=", credentialId)
    .executeTakeFirst();
}

/**
 * Records a use of a passkey with its new signature counter. Returns false if the passkey was
 * removed or used by another request in the meantime.
 */
export async function spendPasskey(
  tx: Db,
  { id, counter }: Pick<PasskeyRow, "counter" | "id">,
  next: { readonly counter: number; readonly nowMs: number },
): Promise<boolean> {
  const spent = await tx
    .updateTable("passkeys")
    .set({ counter: next.counter, used_at: next.nowMs })
    .where("id", "=", id)
    .where("counter", "=", counter)
    .returning("id")
    .executeTakeFirst();
  return spent !== undefined;
}

/**
 * Removes one passkey of a user.
 * @param id null removes all of them.
 */
export async function removePasskeys(
  tx: Db,
  userId: number,
  id: number | null,
): Promise<PasskeyRow[]> {
  const query = tx.deleteFrom("passkeys").where("user_id", "=", userId);
  return await (id === null ? query : query.where("id", "=", id)).returningAll().execute();
}

/** Renames a passkey. Returns false if there is no such passkey or another user owns it. */
export async function renamePasskey(
  tx: Db,
  userId: number,
  id: number,
  name: string,
): Promise<boolean> {
  const renamed = await tx
    .updateTable("passkeys")
    .set({ name })
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .returning("id")
    .executeTakeFirst();
  return renamed !== undefined;
}

export type Ticket = FactorTicketTable;

/**
 * The largest number of stored tickets. Beyond it, a new ticket removes those that expire first.
 */
const ticketsMax = 10_000;

/** Stores a ticket. Also removes expired tickets, and the oldest ones if there are too many. */
export async function insertTicket(tx: Db, ticket: Ticket, nowMs: number): Promise<void> {
  await tx.deleteFrom("factor_tickets").where("expires_at", "<=", nowMs).execute();
  await tx.insertInto("factor_tickets").values(ticket).execute();
  const oldest = tx
    .selectFrom("factor_tickets as kept")
    .select("kept.expires_at")
    .orderBy("kept.expires_at", "desc")
    .offset(ticketsMax)
    .limit(1);
  await tx.deleteFrom("factor_tickets").where("expires_at", "<=", oldest).execute();
}

export type TicketKey = {
  readonly id: string;
  readonly purpose: TicketPurpose;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

export async function findTicket(
  db: Db,
  { id, purpose, nowMs }: TicketKey,
): Promise<Ticket | undefined> {
  return await db
    .selectFrom("factor_tickets")
    .selectAll()
    .where("id", "=", id)
    .where("purpose", "=", purpose)
    .where("expires_at", ">", nowMs)
    .executeTakeFirst();
}

/** Reads and deletes a ticket, so that only one caller gets it. */
export async function takeTicket(
  tx: Db,
  { id, purpose, nowMs }: TicketKey,
): Promise<Ticket | undefined> {
  return await tx
    .deleteFrom("factor_tickets")
    .where("id", "=", id)
    .where("purpose", "=", purpose)
    .where("expires_at", ">", nowMs)
    .returningAll()
    .executeTakeFirst();
}

/** Counts a wrong code. With the last allowed one the ticket is deleted. */
export async function failTicket(tx: Db, id: string, failuresMax: number): Promise<void> {
  await tx
    .updateTable("factor_tickets")
    .set((eb) => ({ failures: eb("failures", "+", 1) }))
    .where("id", "=", id)
    .execute();
  await tx
    .deleteFrom("factor_tickets")
    .where("id", "=", id)
    .where("failures", ">=", failuresMax)
    .execute();
}
