/**
 * The command `tollgate reset-root-password`: for a root user who has lost the password. Whoever may
 * read the database and its secret key may do anything, so the command asks for nothing else; no
 * call over the network does the same. It works beside a running gateway, which reads passwords,
 * sessions and second factors from the database.
 */

import { existsSync } from "node:fs";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { type DatabaseAddress, openDatabase } from "#db/connection.ts";
import type { Db } from "#db/database.ts";
import { isStoreFailure } from "#db/dialect.ts";
import { requireSchema } from "#db/migrator.ts";
import { appendAudit, systemActor } from "#modules/audit/audit.ts";
import { writeOption } from "#modules/options/options.ts";
import { forgetFailures } from "#modules/passwords/passwords.ts";
import { forgetFactors, mustProveFactor } from "#modules/second-factor/second-factor.ts";
import { endSessions } from "#modules/sessions/sessions.ts";
import { updateAccount } from "#modules/users/users.ts";

type RootPasswordDeps = {
  readonly hash: (password: string) => Promise<string>;
  /** Returns random letters and digits. */
  readonly randomText: (length: number) => string;
  readonly nowMs: number;
};

/** Length of the new password: 119 random bits. */
const passwordLength = 20;

/**
 * Gives root a random password and prints it. Signing in with it leads to choosing another one.
 *
 * @param removesFactors whether to remove authenticator app, passkeys and recovery codes, too.
 * @returns the exit code.
 */
export async function runRootPassword(
  address: DatabaseAddress,
  { hash, randomText, nowMs }: RootPasswordDeps,
  removesFactors: boolean,
  print: (line: string) => void,
): Promise<number> {
  if (address.dialect === "sqlite" && !existsSync(address.file)) {
    print(`There is no database at ${address.file}. Set TOLLGATE_DATA_DIR to the data folder.`);
    return 1;
  }
  const { db, dialect, close } = openDatabase(address, "writer");
  try {
    await requireSchema(db, dialect);
    const root = await findRoot(db);
    if (root === undefined) {
      print("There is no root user yet. Start the gateway and open the link that it prints.");
      return 1;
    }
    const password = randomText(passwordLength);
    const change = { root, passwordHash: await hash(password), removesFactors, nowMs };
    const { opensSignIn, hasFactor } = await db
      .transaction()
      .execute(async (tx) => await reset(tx, change));
    print(`Username: ${root.username}`);
    print(`New password: ${password}`);
    print("Sign in with it; the console then asks for a password of your own.");
    if (opensSignIn) print("Sign-in by password was switched off, and is on again.");
    if (hasFactor) {
      print(
        "The second factor is still asked for. If that is lost, too: the same command with --remove-2fa.",
      );
    }
    return 0;
  } catch (error) {
    if (!(error instanceof Error) || !isStoreFailure(error)) throw error;
    print(`The database cannot be used: ${error.message}`);
    return 1;
  } finally {
    await close();
  }
}

type Root = { readonly id: number; readonly username: string };

/** Finds the root user. An imported database may have several: the first one. */
async function findRoot(db: Db): Promise<Root | undefined> {
  return await db
    .selectFrom("users")
    .select(["id", "username"])
    .where("role", "=", role.enum.root)
    .where("DeletedAt", "is", null)
    .orderBy("id")
    .limit(1)
    .executeTakeFirst();
}

type Reset = {
  readonly root: Root;
  readonly passwordHash: string;
  readonly removesFactors: boolean;
  readonly nowMs: number;
};

type Found = {
  /** Whether sign-in by password was switched off. */
  readonly opensSignIn: boolean;
  /** Whether root has a second factor still. */
  readonly hasFactor: boolean;
};

async function reset(tx: Db, { root, passwordHash, removesFactors, nowMs }: Reset): Promise<Found> {
  // Writes first: on SQLite that waits for the gateway's transaction, where a read before it could
  // see what the gateway is about to change.
  await updateAccount(tx, root.id, {
    password_hash: passwordHash,
    // The new password was shown on a terminal, so it is only valid to sign in and choose another.
    password_expired: 1,
    access_token_lookup: null,
  });
  await forgetFailures(tx, root.id);
  await endSessions(tx, root.id);
  if (removesFactors) await forgetFactors(tx, root.id);
  const isClosed = await isSignInClosed(tx);
  const actor = systemActor;
  if (isClosed) await writeOption(tx, { key: signInOption, value: "true", actor, nowMs });
  await appendAudit(tx, {
    actor,
    action: "user.reset-password",
    target: `user:${root.id}`,
    detail: {
      username: root.username,
      by: "tollgate reset-root-password",
      ...(removesFactors ? { second_factor: "removed" } : {}),
    },
    nowMs,
  });
  return { opensSignIn: isClosed, hasFactor: await mustProveFactor(tx, root.id) };
}

const signInOption = "PasswordLoginEnabled";

/** Whether sign-in by password is switched off, which would make a new password useless. */
async function isSignInClosed(tx: Db): Promise<boolean> {
  const row = await tx
    .selectFrom("options")
    .select("value")
    .where("key", "=", signInOption)
    .executeTakeFirst();
  return row?.value === "false";
}
