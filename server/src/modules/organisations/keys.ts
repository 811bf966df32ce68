/** The keys of an organisation: a person's in a project, or a project's own. */

import {
  type OrganisationKey,
  organisationKeysMax,
} from "@tollgate/contract/endpoints/organisation-projects.ts";
import { tokenStatus } from "@tollgate/contract/endpoints/tokens.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { appendAudit } from "#modules/audit/audit.ts";
import { createToken, type NewToken, removeToken, setStatus } from "#modules/tokens/tokens.ts";
import { type By, enter, enterToChange, has, type Place } from "./enter.ts";
import { requireOpenProject } from "./projects.ts";

function keyNotFound(): Refusal {
  return new Refusal("not-found", "令牌不存在");
}

function selectKeys(db: Db, organisation: number) {
  return db
    .selectFrom("organisation_keys as keys")
    .innerJoin("tokens", "tokens.id", "keys.token_id")
    .where("keys.organisation_id", "=", organisation)
    .where("tokens.DeletedAt", "is", null);
}

export async function listKeys(db: Db, id: number, by: By): Promise<OrganisationKey[]> {
  const { role } = await enter(db, id, "read", by);
  const query = selectKeys(db, id)
    .leftJoin("users", "users.id", "keys.user_id")
    .leftJoin("counters", (join) =>
      join.onRef("counters.id", "=", "keys.token_id").on("counters.kind", "=", "token"),
    )
    .select(["tokens.id", "tokens.name", "tokens.hint", "tokens.status"])
    .select(["tokens.created_time", "tokens.expired_time"])
    .select(["keys.project_id as project", "keys.user_id", "users.username"])
    .select((eb) => eb.fn.coalesce("counters.used_quota", eb.lit(0)).as("used_quota"))
    .orderBy("tokens.id", "desc")
    .limit(organisationKeysMax);
  const all = by.isRoot || has(role, "keys");
  const rows = await (all ? query : query.where("keys.user_id", "=", by.actor.userId)).execute();
  return rows.map(({ hint, status, username, ...row }) => ({
    ...row,
    key: hint,
    status: tokenStatus.parse(status),
    username: username ?? "",
  }));
}

type NewKey = {
  readonly project: number;
  /** Whether the key is the project's own. */
  readonly service: boolean;
  readonly token: NewToken;
};

/** @returns the id of the key's token, and what it may spend. */
export async function createKey(tx: Db, id: number, given: NewKey, by: By) {
  const { project, service, token } = given;
  await enterToChange(tx, id, service ? "keys" : "use", by);
  if (token.user_id !== id) throw new Error("a key of another account");
  await requireOpenProject(tx, id, project);
  const { actor, nowMs } = by;
  const ownedMax = organisationKeysMax;
  const made = await createToken(tx, { ...token, ownedMax }, { actor, owner: id, nowMs });
  await tx
    .insertInto("organisation_keys")
    .values({
      token_id: made.id,
      organisation_id: id,
      project_id: project,
      user_id: service ? 0 : actor.userId,
      suspended: 0,
    })
    .execute();
  return { id: made.id, remain: made.remain_quota };
}

/** Refuses a key that the caller may not know of. @returns its project, its text and its owner. */
async function findKey(tx: Db, { id, role }: Place, tokenId: number, by: By) {
  const key = await selectKeys(tx, id)
    .select(["keys.user_id", "keys.project_id", "keys.suspended", "tokens.sealed"])
    .where("keys.token_id", "=", tokenId)
    .executeTakeFirst();
  if (key === undefined) throw keyNotFound();
  if (by.isRoot || has(role, "keys")) return key;
  if (key.user_id !== by.actor.userId || !has(role, "use")) throw keyNotFound();
  return key;
}

type Switch = { readonly token: number; readonly enabled: boolean };

/** Disables a key, or enables it while its project is open. */
export async function switchKey(tx: Db, id: number, { token, enabled }: Switch, by: By) {
  const place = await enterToChange(tx, id, "read", by);
  const { project_id } = await findKey(tx, place, token, by);
  if (enabled) await requireOpenProject(tx, id, project_id);
  const { enabled: on, disabled: off } = tokenStatus.enum;
  const { actor, nowMs } = by;
  await setStatus(tx, token, enabled ? on : off, { actor, owner: id, nowMs });
  // Whoever disables a key by hand does not want it back with its project.
  if (enabled) return;
  await tx
    .updateTable("organisation_keys")
    .set({ suspended: 0 })
    .where("token_id", "=", token)
    .execute();
}

export async function removeKey(tx: Db, id: number, token: number, by: By): Promise<void> {
  const place = await enterToChange(tx, id, "read", by);
  await findKey(tx, place, token, by);
  const { actor, nowMs } = by;
  await removeToken(tx, token, { actor, owner: id, nowMs });
}

/** Returns the sealed text of a key, and writes an audit log entry in the same transaction. */
export async function revealKey(
  tx: Db,
  id: number,
  token: number,
  by: By,
): Promise<{ readonly sealed: string }> {
  const place = await enterToChange(tx, id, "read", by);
  const { sealed } = await findKey(tx, place, token, by);
  const { actor, nowMs } = by;
  const detail = { user_id: id };
  const target = `token:${token}`;
  await appendAudit(tx, { actor, action: "token.reveal", target, detail, nowMs });
  return { sealed };
}
