/** Organisations as such: making, showing, suspending and closing one, and its money. */

import type { Organisation } from "@tollgate/contract/endpoints/organisations.ts";
import type { PageWindow } from "@tollgate/contract/endpoints/page.ts";
import { displayNameMax, userStatus } from "@tollgate/contract/endpoints/users.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { contains } from "#db/text-search.ts";
import { appendAudit } from "#modules/audit/audit.ts";
import { postEntry, type Posted, readDebt, transferQuota } from "#modules/ledger/ledger.ts";
import { insertLog } from "#modules/logs/logs.ts";
import {
  addMembership,
  bearUser,
  type Birth,
  changeOrganisation,
  noteUser,
} from "#modules/users/users.ts";
import { type By, enter, enterToChange, type Place } from "./enter.ts";

/** Rows of organisations that are not closed, with what other tables say of them. */
function selectOrganisations(db: Db) {
  return db
    .selectFrom("organisations")
    .innerJoin("users", "users.id", "organisations.id")
    .innerJoin("balances", "balances.user_id", "organisations.id")
    .leftJoin("counters", (join) =>
      join.onRef("counters.id", "=", "organisations.id").on("counters.kind", "=", "user"),
    )
    .select([
      "organisations.id",
      "organisations.name",
      "organisations.created_at",
      "users.username",
      "users.status",
      "users.group",
      "balances.balance as quota",
      "balances.debt",
    ])
    .select((eb) => [
      eb.fn.coalesce("counters.used_quota", eb.lit(0)).as("used_quota"),
      eb.fn.coalesce("counters.request_count", eb.lit(0)).as("request_count"),
      eb
        .selectFrom("memberships")
        .select((inner) => inner.fn.countAll<number>().as("count"))
        .whereRef("memberships.organisation_id", "=", "organisations.id")
        .as("people"),
    ])
    .where("users.DeletedAt", "is", null);
}

type Row = Awaited<ReturnType<ReturnType<typeof selectOrganisations>["execute"]>>[number];

function show({ username, status, people, ...row }: Row): Organisation {
  const state = status === userStatus.enum.enabled ? "open" : "suspended";
  return { ...row, handle: username.slice(1), state, people: people ?? 0 };
}

async function findOrganisation(db: Db, id: number): Promise<Organisation> {
  const query = selectOrganisations(db).where("organisations.id", "=", id);
  return show(await query.executeTakeFirstOrThrow());
}

type Own = Organisation & { readonly role: Place["role"] };

/** Lists the organisations of a user by name. */
export async function listOwn(db: Db, userId: number): Promise<Own[]> {
  const rows = await selectOrganisations(db)
    .innerJoin("memberships", "memberships.organisation_id", "organisations.id")
    .select("memberships.role")
    .where("memberships.user_id", "=", userId)
    .orderBy("organisations.name")
    .orderBy("organisations.id")
    .execute();
  // Safe cast: only a role of the contract is ever stored.
  return rows.map(({ role, ...row }) => ({ ...show(row), role: role as Own["role"] }));
}

export async function readOwn(db: Db, id: number, by: By): Promise<Own> {
  const { role } = await enter(db, id, "read", by);
  return { ...(await findOrganisation(db, id)), role };
}

/** Reads one page of all organisations, newest first. */
export async function pageOrganisations(
  db: Db,
  keyword: string,
  { page, page_size }: PageWindow,
): Promise<{ readonly items: Organisation[]; readonly total: number }> {
  const all = db
    .selectFrom("organisations")
    .innerJoin("users", "users.id", "organisations.id")
    .where("users.DeletedAt", "is", null)
    .$if(keyword !== "", (query) =>
      query.where((eb) =>
        eb.or([contains("organisations.name", keyword), contains("users.username", keyword)]),
      ),
    );
  const { total } = await all
    .select((eb) => eb.fn.countAll<number>().as("total"))
    .executeTakeFirstOrThrow();
  const found = await all
    .select("organisations.id")
    .orderBy("organisations.id", "desc")
    .limit(page_size)
    .offset((page - 1) * page_size)
    .execute();
  const items: Organisation[] = [];
  for (const { id } of found) items.push(await findOrganisation(db, id));
  return { items, total };
}

type Founding = {
  readonly name: string;
  /** What its account begins with. */
  readonly birth: Birth;
  /** The name of the user who will own it, and of the first project. */
  readonly owner: string;
  readonly project: string;
};

/**
 * Makes an organisation with its account, an owner and a project.
 * @throws Refusal `not-found` for an unknown owner, `already-exists` for a taken handle.
 */
export async function createOrganisation(tx: Db, given: Founding, by: By): Promise<Organisation> {
  const { name, birth, owner, project } = given;
  const person = await tx
    .selectFrom("users")
    .select("id")
    .where("username", "=", owner)
    .where("organisation", "=", 0)
    .where("DeletedAt", "is", null)
    .executeTakeFirst();
  if (person === undefined) throw new Refusal("not-found", "用户不存在", { field: "owner" });
  const now = unixSeconds(by.nowMs);
  const short = [...name].slice(0, displayNameMax).join("");
  const id = await bearUser(tx, { ...birth, display_name: short, organisation: 1 });
  await tx
    .insertInto("organisations")
    .values({ id, name, created_by: by.actor.userId, created_at: now })
    .execute();
  await addMembership(tx, { id, userId: person.id }, { role: "owner", created_at: now });
  await tx
    .insertInto("projects")
    .values({ organisation_id: id, name: project, status: 1, created_at: now })
    .execute();
  await appendAudit(tx, {
    actor: by.actor,
    action: "organisation.create",
    target: `organisation:${id}`,
    detail: { name, account: birth.username, owner, group: birth.group },
    row: await noteUser(tx, id),
    nowMs: by.nowMs,
  });
  return await findOrganisation(tx, id);
}

export async function renameOrganisation(tx: Db, id: number, name: string, by: By): Promise<void> {
  const place = await enterToChange(tx, id, "own", by);
  if (name === place.name) return;
  await tx.updateTable("organisations").set({ name }).where("id", "=", id).execute();
  await note(tx, by, "organisation.rename", id, { before: place.name, after: name });
}

type Change = { readonly group: string | undefined; readonly isOpen: boolean | undefined };

/** Changes what root alone changes. While it is suspended, no call of its keys is admitted. */
export async function updateOrganisation(
  tx: Db,
  id: number,
  { group, isOpen }: Change,
  by: By,
): Promise<void> {
  const place = await enterToChange(tx, id, "read", by);
  const { enabled, disabled } = userStatus.enum;
  const columns = {
    ...(group === undefined || group === place.group ? {} : { group }),
    ...(isOpen === undefined || isOpen === place.isOpen
      ? {}
      : { status: isOpen ? enabled : disabled }),
  };
  if (Object.keys(columns).length === 0) return;
  await changeOrganisation(tx, id, columns);
  const before = { group: place.group, is_open: place.isOpen };
  await appendAudit(tx, {
    actor: by.actor,
    action: "organisation.update",
    target: `organisation:${id}`,
    detail: { before, after: columns },
    row: await noteUser(tx, id, Object.keys(columns)),
    nowMs: by.nowMs,
  });
}

/** Adds to the balance, or takes from it, as root says. */
export async function adjustOrganisation(
  tx: Db,
  id: number,
  { amount, reason }: { readonly amount: number; readonly reason: string },
  by: By,
): Promise<void> {
  await enterToChange(tx, id, "read", by);
  const { balance } = await postEntry(tx, {
    cause: `adjust:${by.requestId}`,
    kind: "admin_adjust",
    userId: id,
    amount,
    detail: reason,
    nowMs: by.nowMs,
  });
  const old = balance - amount;
  const moved = `管理员将用户额度从 ${old}修改为 ${balance}`;
  const content = reason === "" ? moved : `${moved}：${reason}`;
  await insertLog(tx, { type: 3, userId: id, content, nowMs: by.nowMs });
  await note(tx, by, "organisation.adjust", id, { before: old, after: balance, reason });
}

type Transfer = {
  readonly id: number;
  /** `in`: from the actor's own balance to the organisation's; `out`: back. */
  readonly direction: "in" | "out";
  readonly amount: number;
};

/**
 * Moves quota between the balances of the actor and an organisation.
 * @throws Refusal `quota-too-low`; `not-allowed` while the side that gives has a debt.
 */
export async function transfer(
  tx: Db,
  { id, direction, amount }: Transfer,
  by: By,
): Promise<{ readonly posted: Posted }> {
  const place = await enterToChange(tx, id, "billing", by);
  const { userId, username } = by.actor;
  const [from, to] = direction === "in" ? [userId, id] : [id, userId];
  const [fromName, toName] =
    direction === "in" ? [username, place.username] : [place.username, username];
  const { requestId, nowMs } = by;
  const posted = await transferQuota(tx, { from, to, amount, requestId, fromName, toName, nowMs });
  await note(tx, by, "organisation.transfer", id, { direction, amount });
  return { posted };
}

/**
 * Closes an organisation: its account is deleted, so its keys are refused.
 * @throws Refusal `not-allowed` while it has a balance, a debt or a running call.
 */
export async function closeOrganisation(tx: Db, id: number, handle: string, by: By): Promise<void> {
  const place = await enterToChange(tx, id, "own", by);
  if (`@${handle}` !== place.username) {
    throw new Refusal("invalid-input", "请输入组织的标识以确认关闭", { field: "handle" });
  }
  if ((await readDebt(tx, id)) > 0) throw new Refusal("not-allowed", "组织有欠费，无法关闭");
  const running = await tx
    .selectFrom("reservations")
    .select("id")
    .where("user_id", "=", id)
    .limit(1)
    .executeTakeFirst();
  if (running !== undefined) throw new Refusal("not-allowed", "组织有正在进行的调用，无法关闭");
  const { balance } = await tx
    .selectFrom("balances")
    .select("balance")
    .where("user_id", "=", id)
    .executeTakeFirstOrThrow();
  if (balance > 0) throw new Refusal("not-allowed", "请先转出组织的余额");
  await changeOrganisation(tx, id, { DeletedAt: new Date(by.nowMs).toISOString() });
  await appendAudit(tx, {
    actor: by.actor,
    action: "organisation.close",
    target: `organisation:${id}`,
    detail: { name: place.name },
    row: await noteUser(tx, id, ["DeletedAt"]),
    nowMs: by.nowMs,
  });
}

/** What a call that is made for an organisation acts as. */
export type Scope = Pick<Place, "id" | "isOpen" | "role" | "username">;

/** Reads an organisation for somebody who makes a call for it. */
export async function readScope(
  db: Db,
  id: number,
  by: { readonly userId: number; readonly isRoot: boolean },
): Promise<Scope> {
  const actor = { userId: by.userId, username: "", clientIp: "" };
  const { username, isOpen, role } = await enter(db, id, "read", { actor, isRoot: by.isRoot });
  return { id, username, isOpen, role };
}

/** Refuses whoever may not move quota, before the balances are touched. */
export async function checkBilling(db: Db, id: number, by: By): Promise<void> {
  await enter(db, id, "billing", by);
}

export async function note(
  tx: Db,
  { actor, nowMs }: By,
  action: string,
  id: number,
  detail: object,
): Promise<void> {
  await appendAudit(tx, { actor, action, target: `organisation:${id}`, detail, nowMs });
}
