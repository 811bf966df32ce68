import type { Insertable } from "kysely";
import { passkeysMax } from "@tollgate/contract/endpoints/second-factor.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import type { PasskeyTable, TotpTable } from "#db/tables/second-factor.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { isKnownPlace } from "#modules/passwords/passwords.ts";
import { endSessions, noteProof } from "#modules/sessions/sessions.ts";
import { outranks } from "#modules/users/users.ts";
import * as repo from "./second-factor.repo.ts";
import { forgetFactors, ticketFailuresMax, ticketGone } from "./second-factor.ts";

export type By = {
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/**
 * A code in the form in which the database looks it up: the time step of an app's code, or the
 * keyed hash of a recovery code.
 */
export type Proof =
  | { readonly kind: "totp"; readonly step: number }
  | { readonly kind: "recovery"; readonly lookup: string };

async function note(tx: Db, { actor, nowMs }: By, action: string, detail?: object): Promise<void> {
  const target = `user:${actor.userId}`;
  await appendAudit(tx, {
    actor,
    action,
    target,
    ...(detail === undefined ? {} : { detail }),
    nowMs,
  });
}

/**
 * Marks a code as used, and deletes the ticket that it was requested for.
 *
 * @param ticket null if the code was requested without one.
 * @returns false if the code is wrong or was used before; nothing is changed then.
 * @throws Refusal `not-found` if the ticket no longer exists.
 */
async function proveByCode(
  tx: Db,
  proof: Proof,
  ticket: repo.TicketKey | null,
  by: By,
): Promise<boolean> {
  const { userId } = by.actor;
  const spent =
    proof.kind === "totp"
      ? await repo.spendStep(tx, userId, proof.step)
      : await repo.spendRecoveryCode(tx, { user_id: userId, lookup: proof.lookup });
  if (!spent) return false;
  if (ticket !== null && (await repo.takeTicket(tx, ticket)) === undefined) throw ticketGone();
  if (proof.kind === "recovery") await note(tx, by, "second-factor.recovery-code");
  return true;
}

async function failTicket(tx: Db, id: string): Promise<void> {
  await repo.failTicket(tx, id, ticketFailuresMax);
}

/**
 * Confirms a TOTP secret by its first code.
 * @param lookups keyed hashes of new recovery codes, stored only if this is the first factor.
 * @param sessionId session in which the secret was confirmed; null if none.
 * @returns whether it is the first factor.
 */
async function confirmTotp(
  tx: Db,
  secret: TotpTable,
  lookups: readonly string[],
  sessionId: string | null,
  by: By,
): Promise<boolean> {
  const isFirst = !repo.hasFactor(await repo.readFactors(tx, by.actor.userId));
  if (!(await repo.confirmSecret(tx, secret))) {
    throw new Refusal("stale", "验证器已变化，请重新设置");
  }
  if (isFirst) await beginWith(tx, lookups, sessionId, by);
  await note(tx, by, "second-factor.enable", { factor: "totp" });
  return isFirst;
}

/**
 * Stores the recovery codes that come with the first factor. Also counts the factor as proven in
 * this session, because the code that was just verified cannot be used again for a proof.
 */
async function beginWith(
  tx: Db,
  lookups: readonly string[],
  sessionId: string | null,
  { actor, nowMs }: By,
): Promise<void> {
  await repo.replaceRecoveryCodes(tx, actor.userId, lookups);
  if (sessionId !== null) await noteProof(tx, sessionId, nowMs);
}

async function disableTotp(tx: Db, by: By): Promise<void> {
  if (!(await repo.removeSecret(tx, by.actor.userId))) {
    throw new Refusal("not-found", "尚未启用验证器");
  }
  await dropCodesOfLast(tx, by.actor.userId);
  await note(tx, by, "second-factor.disable", { factor: "totp" });
}

/**
 * Removes the recovery codes if the user has no other factor left, because they are only a
 * substitute for one.
 */
async function dropCodesOfLast(tx: Db, userId: number): Promise<void> {
  if (repo.hasFactor(await repo.readFactors(tx, userId))) return;
  await repo.replaceRecoveryCodes(tx, userId, []);
}

async function renewCodes(tx: Db, lookups: readonly string[], by: By): Promise<void> {
  if (!repo.hasFactor(await repo.readFactors(tx, by.actor.userId))) {
    throw new Refusal("not-allowed", "请先启用两步验证");
  }
  await repo.replaceRecoveryCodes(tx, by.actor.userId, lookups);
  await note(tx, by, "second-factor.recovery-codes");
}

/**
 * Adds a passkey.
 * @param lookups keyed hashes of new recovery codes, stored only if this is the first factor.
 * @returns whether it is the first factor.
 */
async function addPasskey(
  tx: Db,
  row: Insertable<PasskeyTable>,
  lookups: readonly string[],
  sessionId: string | null,
  by: By,
): Promise<boolean> {
  const factors = await repo.readFactors(tx, by.actor.userId);
  if (factors.passkeys.length >= passkeysMax) {
    throw new Refusal("limit-reached", `最多可以添加 ${passkeysMax} 个通行密钥`);
  }
  if (!(await repo.insertPasskey(tx, row))) {
    throw new Refusal("already-exists", "该通行密钥已被使用");
  }
  const isFirst = !repo.hasFactor(factors);
  if (isFirst) await beginWith(tx, lookups, sessionId, by);
  await note(tx, by, "second-factor.enable", { factor: "passkey", name: row.name });
  return isFirst;
}

async function renamePasskey(tx: Db, userId: number, id: number, name: string): Promise<void> {
  if (!(await repo.renamePasskey(tx, userId, id, name))) throw noPasskey();
}

const noPasskey = (): Refusal => new Refusal("not-found", "通行密钥不存在");

async function removePasskey(tx: Db, id: number, by: By): Promise<void> {
  const [removed] = await repo.removePasskeys(tx, by.actor.userId, id);
  if (removed === undefined) throw noPasskey();
  await dropCodesOfLast(tx, by.actor.userId);
  await note(tx, by, "second-factor.disable", { factor: "passkey", name: removed.name });
}

/**
 * Removes all second factors of a user, for an administrator.
 * @throws Refusal if the user does not exist or does not have a lower role than the actor.
 */
async function resetFactors(tx: Db, userId: number, actorRole: number, by: By): Promise<void> {
  const person = await repo.findPerson(tx, userId);
  if (person === undefined) throw new Refusal("not-found", "用户不存在");
  if (!outranks(actorRole, person.role)) {
    throw new Refusal("not-allowed", "无权更新同权限等级或更高权限等级的用户信息");
  }
  await forgetFactors(tx, userId);
  await endSessions(tx, userId);
  const { actor, nowMs } = by;
  await appendAudit(tx, { actor, action: "second-factor.reset", target: `user:${userId}`, nowMs });
}

export const secondFactorStore = defineStore({
  reads: {
    findPasskey: repo.findPasskey,
    findPerson: repo.findPerson,
    findTicket: repo.findTicket,
    isKnownPlace,
    readFactors: repo.readFactors,
    readFactorTime: repo.readFactorTime,
    readSessionStart: repo.readSessionStart,
  },
  writes: {
    addPasskey,
    confirmTotp,
    disableTotp,
    failTicket,
    openTicket: repo.insertTicket,
    proveByCode,
    removePasskey,
    renamePasskey,
    renewCodes,
    resetFactors,
    saveSecret: repo.saveSecret,
    spendPasskey: repo.spendPasskey,
    takeTicket: repo.takeTicket,
  },
});

export type SecondFactorStore = RemoteStore<typeof secondFactorStore>;
