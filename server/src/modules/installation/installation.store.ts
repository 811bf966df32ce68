/** What runs beside the database for the set-up: root's account and the key's fingerprint. */

import { role } from "@tollgate/contract/endpoints/users.ts";
import { sql } from "kysely";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { databaseMs } from "#db/dialect.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { type Birth, bearUser, noteUser } from "#modules/users/users.ts";

const setUpKey = "set_up";
export const fingerprintKey = "secret_key_fingerprint";

/**
 * Whether a root user exists. Set-up leaves a row in `meta`; an imported database may have a root
 * user without that row.
 */
async function isSetUp(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom("meta")
    .select("key")
    .where("key", "=", setUpKey)
    .executeTakeFirst();
  return row !== undefined || (await hasRoot(db));
}

async function hasRoot(db: Db): Promise<boolean> {
  const root = await db
    .selectFrom("users")
    .select("id")
    .where("role", "=", role.enum.root)
    .limit(1)
    .executeTakeFirst();
  return root !== undefined;
}

/**
 * Creates the root user, unless there is one. @returns its id. @throws Refusal `already-set-up`.
 */
async function createRoot(tx: Db, birth: Birth, actor: Actor): Promise<number> {
  // All nodes share this row: the call that inserts it creates root, and every other call fails.
  const won = await tx
    .insertInto("meta")
    .values({ key: setUpKey, value: new Date(birth.nowMs).toISOString() })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .returning("key")
    .executeTakeFirst();
  if (won === undefined || (await hasRoot(tx))) {
    throw new Refusal("already-set-up", "系统已经初始化完成");
  }
  await tx.deleteFrom("setup_links").execute();
  const id = await bearUser(tx, birth);
  await appendAudit(tx, {
    actor: { ...actor, userId: id, username: birth.username },
    action: "setup.root",
    target: `user:${id}`,
    row: await noteUser(tx, id),
    nowMs: birth.nowMs,
  });
  return id;
}

/**
 * Binds the database to a secret key on the first start.
 *
 * @returns false if the database is bound to another key, without which its sealed values cannot be
 *   opened.
 */
async function claimSecretKey(tx: Db, fingerprint: string): Promise<boolean> {
  await tx
    .insertInto("meta")
    .values({ key: fingerprintKey, value: fingerprint })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
  const { value } = await tx
    .selectFrom("meta")
    .select("value")
    .where("key", "=", fingerprintKey)
    .executeTakeFirstOrThrow();
  return value === fingerprint;
}

/** How long a set-up link is valid after the server has printed it. */
const setupLinkMs = 3_600_000;

/**
 * Stores a set-up link, so that it works on every node: a proxy may send the operator to any of
 * them.
 * @param hash of the link's secret, which is 256 random bits as text; the text itself is printed
 *   and not stored.
 */
async function addSetupLink(tx: Db, hash: string): Promise<void> {
  const made = databaseMs(tx);
  await tx
    .deleteFrom("setup_links")
    .where("made_at", "<=", sql<number>`${made} - ${sql.lit(setupLinkMs)}`)
    .execute();
  await tx.insertInto("setup_links").values({ hash, made_at: made }).execute();
}

/** Whether a valid set-up link has this hash, so that its holder may create root. */
async function isSetupLink(db: Db, hash: string): Promise<boolean> {
  const found = await db
    .selectFrom("setup_links")
    .select("hash")
    .where("hash", "=", hash)
    .where("made_at", ">", sql<number>`${databaseMs(db)} - ${sql.lit(setupLinkMs)}`)
    .executeTakeFirst();
  return found !== undefined;
}

/** Resolves when the database answers. */
async function ping(db: Db): Promise<void> {
  await db.selectFrom("config_clock").select("version").execute();
}

export const installationStore = defineStore({
  reads: { isSetUp, isSetupLink, ping },
  writes: { addSetupLink, claimSecretKey, createRoot },
});

export type InstallationStore = RemoteStore<typeof installationStore>;
