/**
 * The command `tollgate export --data`: writes what another gateway would need, as JSON lines, of
 * which `docs/operate/move-in.md` names the fields. Secrets are left out, or with `--secrets` locked
 * with a passphrase, once root has proven to be root.
 */

import type { Selectable } from "kysely";
import type { Secrets } from "#base/secrets.ts";
import { unixSeconds } from "#base/clock.ts";
import { type DatabaseAddress, openDatabase } from "#db/connection.ts";
import type { Database, Db } from "#db/database.ts";
import { requireSchema } from "#db/migrator.ts";
import { appendAudit } from "#modules/audit/audit.ts";
import { keyContext } from "#modules/channels/channels.ts";
import { findPrices, parsePrices } from "#modules/pricing/pricing.ts";
import { sealContext as codeContext } from "#modules/redemptions/redemptions.ts";
import { proveRoot } from "#modules/second-factor/second-factor.ts";
import { sealContext } from "#modules/tokens/tokens.ts";
import { type Lock, openLock } from "./lock.ts";

type ExportDeps = {
  readonly secrets: Secrets;
  readonly wrongKey: (db: Db) => Promise<string | null>;
  /** Asks root for a line, such as a code. */
  readonly ask: (question: string) => Promise<string>;
  readonly verify: (password: string, hash: string) => Promise<boolean>;
  readonly print: (line: string) => void;
  readonly tell: (line: string) => void;
  readonly version: string;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** A shorter passphrase is guessed. */
const passphraseMin = 12;

/** Runs the command. @returns the exit code. */
export async function runExportData(
  address: DatabaseAddress,
  { hasSecrets }: { readonly hasSecrets: boolean },
  deps: ExportDeps,
): Promise<number> {
  const { db, dialect, close } = openDatabase(address, hasSecrets ? "writer" : "reader");
  try {
    await requireSchema(db, dialect);
    const wrong = await deps.wrongKey(db);
    if (wrong !== null) {
      deps.tell(wrong);
      return 1;
    }
    const lock = hasSecrets ? await unlock(db, deps) : null;
    if (lock === undefined) return 1;
    await writeAll(db, lock, deps);
    return 0;
  } finally {
    await close();
  }
}

/** @returns undefined: nothing may be written. */
async function unlock(db: Db, deps: ExportDeps): Promise<Lock | undefined> {
  const { ask, tell, now } = deps;
  const actor = await proveRoot(db, deps);
  if (actor === null) {
    tell("That is not right. Nothing was written.");
    return undefined;
  }
  const passphrase = await ask(
    `Passphrase for the secrets, at least ${passphraseMin} characters: `,
  );
  if (passphrase.length < passphraseMin) {
    tell("The passphrase is too short. Nothing was written.");
    return undefined;
  }
  const note = { actor, action: "data.export", target: "", detail: { secrets: true } };
  await db.transaction().execute(async (tx) => await appendAudit(tx, { ...note, nowMs: now() }));
  return openLock(passphrase);
}

async function writeAll(db: Db, lock: Lock | null, deps: ExportDeps): Promise<void> {
  const { print, secrets, version, now } = deps;
  const write = (kind: string, fields: object): void => print(JSON.stringify({ kind, ...fields }));
  /** A secret as it is written: locked, or null. */
  const locked = (place: string, secret: () => string): string | null =>
    lock === null ? null : lock.seal(place, secret());
  const created_at = unixSeconds(now());
  const prices = await findPrices(db);
  const list = prices && parsePrices(prices)?.list;
  const quota_per_unit = list?.QuotaPerUnit ?? null;
  write("export", { format: 1, version, created_at, quota_per_unit, lock: lock?.header ?? null });
  if (list !== undefined) write("prices", { list });
  await eachRow(db, "users", async ({ password_hash, access_token_lookup: _, ...row }) => {
    const money = await findMoney(db, row.id);
    write("user", {
      ...row,
      ...money,
      password_hash: locked(`user:${row.id}`, () => password_hash),
    });
  });
  for (const { created_at: _, ...row } of await db
    .selectFrom("identities")
    .selectAll()
    .orderBy("user_id")
    .execute()) {
    write("identity", row);
  }
  for (const [kind, table] of organisationTables) {
    for (const row of await db.selectFrom(table).selectAll().execute()) write(kind, row);
  }
  await eachRow(db, "tokens", async ({ sealed, lookup: _, old_lookup: __, ...row }) => {
    const money = await findTokenMoney(db, row.id);
    // Of some imported keys only a hash is known until their first use.
    const key =
      sealed === ""
        ? null
        : locked(`token:${row.id}`, () => secrets.open(sealContext(row.user_id), sealed));
    write("token", { ...row, ...money, key });
  });
  await eachRow(db, "channels", async (row) => {
    const keys = await db
      .selectFrom("channel_keys")
      .select(["sealed", "status"])
      .where("channel_id", "=", row.id)
      .orderBy("id")
      .execute();
    const shown = keys.map(({ sealed, status }) => ({
      status,
      key: locked(`channel:${row.id}`, () => secrets.open(keyContext(row), sealed)),
    }));
    write("channel", { ...row, keys: shown });
  });
  await eachRow(db, "redemptions", async ({ sealed, lookup, hash: _, ...row }) => {
    const key = locked(`code:${row.id}`, () => secrets.open(codeContext(lookup), sealed));
    write("code", { ...row, key });
  });
  write("end", {});
}

/** Organisations have fewer rows than users; their accounts are among these. */
const organisationTables = [
  ["organisation", "organisations"],
  ["project", "projects"],
  ["membership", "memberships"],
  ["organisation_key", "organisation_keys"],
] as const;

const batchSize = 1_000;

type Numbered = "channels" | "redemptions" | "tokens" | "users";

/** Gives every row of a table to `use`, in the order of ids. */
async function eachRow<Table extends Numbered>(
  db: Db,
  table: Table,
  use: (row: Selectable<Database[Table]>) => Promise<void>,
): Promise<void> {
  for (let after = 0; ;) {
    const rows = await db
      .selectFrom(table as Numbered)
      .selectAll()
      .where("id", ">", after)
      .orderBy("id")
      .limit(batchSize)
      .execute();
    // Safe cast: the rows are those of the table that was asked for.
    for (const row of rows) await use(row as unknown as Selectable<Database[Table]>);
    if (rows.length < batchSize) return;
    after = rows.at(-1)?.id ?? after;
  }
}

/** Reads what a user has, owes and has used, in quota units. */
async function findMoney(db: Db, id: number) {
  return await db
    .selectFrom("balances")
    .select(["balance", "debt", "used"])
    .where("user_id", "=", id)
    .executeTakeFirst();
}

async function findTokenMoney(db: Db, id: number) {
  return await db
    .selectFrom("token_balances")
    .select(["remain", "used"])
    .where("token_id", "=", id)
    .executeTakeFirst();
}
