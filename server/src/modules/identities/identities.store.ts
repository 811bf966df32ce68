/** Binds and unbinds OAuth identities and mailboxes, and creates accounts for new identities. */

import { usernameMax } from "@tollgate/contract/endpoints/users.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { type Birth, noteUser, updateAccount } from "#modules/users/users.ts";
import {
  findOwner,
  insertIdentity,
  isAddressTaken,
  listMethods,
  mailIssuer,
  mailMethod,
  type Owner,
  removeIdentity,
} from "./identities.ts";
import { bindMail } from "./mail-binding.repo.ts";
import type { Identity, IdentityColumn } from "./methods/method.ts";
import {
  lockAddress,
  type MailUndo,
  readAddress,
  saveUndo,
  undoMailChange,
} from "./mail-undo.repo.ts";
import { saveCode } from "./mail-codes.ts";
import { bearInvited, type Gifts } from "#modules/new-accounts/new-accounts.ts";
import { endSessions } from "#modules/sessions/sessions.ts";
import { saveState, spendProof, takeState } from "./states.ts";

/** A sign-in method, and the column of `users` that displays its identities. */
export type MethodPlace = {
  readonly method: string;
  readonly column: IdentityColumn;
  /** The method's display name, for use in a sentence. */
  readonly title: string;
};

const taken = ({ title }: MethodPlace): Refusal =>
  new Refusal("already-exists", `该${title}账户已被绑定`);

type Binding = MethodPlace & {
  readonly identity: Identity;
  /** The value for `column`: the name of the account at the provider, as the person knows it. */
  readonly shownAs: string;
  readonly actor: Actor;
  /** What can undo the binding; null if the user has no e-mail address. */
  readonly undo: MailUndo | null;
  readonly nowMs: number;
};

/**
 * Binds an identity to the actor, in place of the actor's former identity of the same method.
 *
 * @throws Refusal `already-exists` if the identity belongs to a user already.
 */
async function bindIdentity(tx: Db, binding: Binding): Promise<void> {
  const { identity, shownAs, method, column, actor, undo, nowMs } = binding;
  const { userId } = actor;
  if ((await findOwner(tx, identity)) !== undefined) throw taken(binding);
  await removeIdentity(tx, userId, method);
  // Another user may bind the identity at the same moment; the first of the two gets it.
  if (!(await insertIdentity(tx, identity, { method, userId, nowMs }))) throw taken(binding);
  await updateAccount(tx, userId, { [column]: shownAs });
  if (undo !== null) await saveUndo(tx, undo, nowMs);
  const detail = { method, ...identity };
  await appendAudit(tx, { actor, action: "user.bind", target: `user:${userId}`, detail, nowMs });
}

type Shown = Pick<MethodPlace, "column"> & { readonly userId: number; readonly shownAs: string };

/** Updates the name that is shown for a user's identity, after it has changed at the provider. */
async function showIdentity(tx: Db, { userId, column, shownAs }: Shown): Promise<void> {
  await updateAccount(tx, userId, { [column]: shownAs });
}

type Unbinding = MethodPlace & {
  readonly actor: Actor;
  /** What can undo the removal of an e-mail address; null for other methods. */
  readonly undo: MailUndo | null;
  readonly nowMs: number;
};

/**
 * Unbinds an identity. Ends all sessions and the access token, because the holder of the unbound
 * identity may have created them.
 */
async function unbindIdentity(tx: Db, unbinding: Unbinding): Promise<void> {
  const { method, column, actor, undo, nowMs } = unbinding;
  const { userId } = actor;
  const user = await lockRows(
    tx,
    tx.selectFrom("users").select(["password_hash", column]).where("id", "=", userId),
  ).executeTakeFirstOrThrow();
  if (method === mailMethod) await lockAddress(tx, userId, undo);
  if (undo !== null) await saveUndo(tx, undo, nowMs);
  const bound = await listMethods(tx, userId);
  if (!bound.includes(method) && user[column] === "") {
    throw new Refusal("not-found", "尚未绑定");
  }
  if (user.password_hash === "" && !bound.some((other) => other !== method)) {
    throw new Refusal("not-allowed", "这是唯一的登录方式，请先绑定邮箱或其他账户");
  }
  const removed = await removeIdentity(tx, userId, method);
  await updateAccount(tx, userId, { [column]: "", access_token_lookup: null });
  await endSessions(tx, userId);
  // Users of an imported database may have the identity only in a column of `users`, without a row
  // in `identities`; the audit log then gets the column's value.
  const detail = { method, subject: removed ?? user[column] };
  await appendAudit(tx, { actor, action: "user.unbind", target: `user:${userId}`, detail, nowMs });
}

type Newcomer = MethodPlace & {
  readonly identity: Identity;
  readonly shownAs: string;
  /** The new account's fields except the username, which is chosen here. */
  readonly birth: Omit<Birth, "username">;
  /** The preferred username, used if it is free; empty for no preference. */
  readonly username: string;
  readonly namePrefix: string;
  /**
   * E-mail address that the provider has verified; stored unless another user has it. Empty: none.
   */
  readonly address: string;
  readonly affCode: string;
  readonly gifts: Gifts;
  readonly clientIp: string;
};

type Settled = Omit<Owner, IdentityColumn | "DeletedAt" | "status"> & {
  /** Starting balance of the account, in quota units. */
  readonly quota: number;
};

/**
 * Creates an account for an identity that has none.
 *
 * @throws Refusal `already-exists` if the identity got a user in the meantime.
 */
async function settle(tx: Db, newcomer: Newcomer): Promise<Settled> {
  const { identity, shownAs, method, column, address, birth, clientIp } = newcomer;
  const { nowMs } = birth;
  const { id, username, quota } = await bearNamed(tx, newcomer);
  if (!(await insertIdentity(tx, identity, { method, userId: id, nowMs }))) throw taken(newcomer);
  const mailbox = { issuer: mailIssuer, subject: address };
  const hasMail =
    address !== "" &&
    !(await isAddressTaken(tx, address)) &&
    (await insertIdentity(tx, mailbox, { method: mailMethod, userId: id, nowMs }));
  await updateAccount(tx, id, {
    [column]: shownAs,
    ...(hasMail ? { email: address } : {}),
  });
  await appendAudit(tx, {
    actor: { userId: id, username, clientIp },
    action: "user.register",
    target: `user:${id}`,
    detail: { method, ...identity },
    row: await noteUser(tx, id),
    nowMs,
  });
  const { display_name, role, group } = birth;
  return { id, username, display_name, role, group, quota, password_expired: 0 };
}

/** How many generated usernames are tried after the preferred one, until one is free. */
const namesTried = 20;

async function bearNamed(tx: Db, { birth, username, namePrefix, affCode, gifts }: Newcomer) {
  const { last } = await tx
    .selectFrom("users")
    .select((eb) => eb.fn.max("id").as("last"))
    .executeTakeFirstOrThrow();
  const names = username === "" ? [] : [username];
  for (let step = 1; step <= namesTried; step += 1) {
    const number = `_${Number(last ?? 0) + step}`;
    names.push(namePrefix.slice(0, usernameMax - number.length) + number);
  }
  for (const name of names) {
    try {
      const made = await bearInvited(tx, { birth: { ...birth, username: name }, affCode, gifts });
      return { ...made, username: name };
    } catch (error) {
      // A refused username caused no writes, so the transaction can try the next username.
      const isRefused =
        error instanceof Refusal &&
        (error.code === "already-exists" || error.code === "invalid-input");
      if (!isRefused) throw error;
    }
  }
  throw new Error("every name tried is taken");
}

export const identityStore = defineStore({
  reads: { findOwner, isAddressTaken, readAddress },
  writes: {
    bindIdentity,
    bindMail,
    saveCode,
    saveState,
    settle,
    showIdentity,
    spendProof,
    takeState,
    unbindIdentity,
    undoMailChange,
  },
});

export type IdentityStore = RemoteStore<typeof identityStore>;
