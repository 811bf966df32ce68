/**
 * Set-up of an installation. No account exists until the operator creates root, by the link that
 * the server prints or by environment variables. Only one attempt can succeed.
 */

import type { KeptLanguage } from "@tollgate/contract/words/languages.ts";
import {
  isPassword,
  passwordMin,
  role,
  usernameFault,
  usernameMax,
  usernameRules,
} from "@tollgate/contract/endpoints/users.ts";
import type { Random } from "#base/random.ts";
import { Refusal } from "#base/refusal.ts";
import { SecretError, type Secrets } from "#base/secrets.ts";
import { gatherWrites } from "#db/store.ts";
import { newAffCodes } from "#modules/affiliates/affiliates.ts";
import type { Actor } from "#modules/audit/audit.ts";
import type { PlannedCall } from "#modules/configuration/configuration.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import type { Passwords } from "#modules/passwords/passwords.ts";
import type { InstallationStore } from "./installation.store.ts";

/** Root's starting balance in quota units: 200 dollars at the default rate. */
const rootQuota = 100_000_000;

const rootDisplayName = "Root User";
const rootGroup = "default";

/** What the installation module offers to the server's start-up. */
export type Installation = {
  /**
   * Makes and stores the secret of a set-up link, which start-up prints. The link works on every
   * node, for an hour.
   */
  makeSetupToken(): Promise<string>;
  isSetUp(): Promise<boolean>;
  /**
   * Creates the root account. @returns its id.
   *
   * @throws Refusal `already-set-up`, `invalid-input`, `setup-refused`.
   */
  createRoot(account: { readonly username: string; readonly password: string }): Promise<number>;
  /**
   * Makes the write that creates the root account, to be run with others.
   *
   * @throws Refusal as `createRoot` does.
   */
  planRoot(
    account: { readonly username: string; readonly password: string },
    actor: Actor,
  ): Promise<PlannedCall[]>;
};

export type RootDeps = {
  readonly store: InstallationStore;
  readonly passwords: Passwords;
  readonly money: Money;
  readonly random: Random;
  /** Resolves once this node uses every configuration change that was written before the call. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/**
 * Creates the root account. Only one of several simultaneous calls succeeds.
 *
 * @param actor who asked for it; the audit entry replaces its user id and username by root's.
 * @returns the account's id.
 * @throws Refusal `already-set-up`, `setup-refused`.
 */
export async function createRoot(
  deps: RootDeps,
  account: {
    readonly username: string;
    readonly password: string;
    readonly language?: KeptLanguage | undefined;
  },
  actor: Actor,
): Promise<number> {
  const username = account.username.trim().normalize("NFC");
  const fault = username === "" ? "too-long" : usernameFault(username);
  if (fault === "too-long") {
    throw new Refusal("setup-refused", `用户名长度必须在 1-${usernameMax} 之间`);
  }
  if (fault !== null) throw new Refusal("setup-refused", usernameRules[fault]);
  if (!isPassword(account.password)) {
    throw new Refusal("setup-refused", `密码长度至少为${passwordMin}个字符`);
  }
  const id = await deps.store.createRoot(
    {
      username,
      display_name: rootDisplayName,
      password_hash: await deps.passwords.hashChosen(account.password),
      role: role.enum.root,
      language: account.language ?? "",
      group: rootGroup,
      affCodes: newAffCodes(deps.random),
      quota: rootQuota,
      cause: "setup:root",
      logText: "",
      nowMs: deps.now(),
    },
    actor,
  );
  deps.money.openedUser(id, rootQuota);
  await deps.applyChanges();
  return id;
}

/** Makes the write that creates the root account, see `Installation.planRoot`. */
export async function planRoot(
  deps: RootDeps,
  account: { readonly username: string; readonly password: string },
  actor: Actor,
): Promise<PlannedCall[]> {
  const calls: PlannedCall[] = [];
  const gathering: RootDeps = {
    ...deps,
    store: gatherWrites("installation", deps.store, ["createRoot"], calls),
    money: { ...deps.money, openedUser: () => {} },
    applyChanges: async () => {},
  };
  await createRoot(gathering, account, actor);
  const done = (id: unknown): void => deps.money.openedUser(Number(id), rootQuota);
  return calls.map((call) => ({ ...call, done }));
}

/**
 * Binds the database to this secret key on the first start.
 *
 * @throws SecretError if the database is bound to another key.
 */
export async function claimDatabase(
  store: Pick<InstallationStore, "claimSecretKey">,
  { fingerprint }: Pick<Secrets, "fingerprint">,
): Promise<void> {
  if (await store.claimSecretKey(fingerprint)) return;
  throw new SecretError(
    "TOLLGATE_SECRET_KEY is not the one this database was made with; nothing sealed in it " +
      "could be opened. Restore the right key (on SQLite: secret.key in the data directory).",
  );
}
