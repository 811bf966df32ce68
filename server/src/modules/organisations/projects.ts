/** Changes of the projects of an organisation. */

import {
  type Project,
  type ProjectState,
  projectsMax,
} from "@tollgate/contract/endpoints/organisation-projects.ts";
import { tokenStatus } from "@tollgate/contract/endpoints/tokens.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { lockRows } from "#db/dialect.ts";
import { removeToken, setStatus } from "#modules/tokens/tokens.ts";
import { note } from "./accounts.ts";
import { type By, enter, enterToChange } from "./enter.ts";

/** The numbers of the states, as they are stored. */
const numbers = { open: 1, suspended: 2, closed: 3 } as const satisfies Record<
  ProjectState,
  number
>;

function stateOf(status: number): ProjectState {
  if (status === numbers.open) return "open";
  return status === numbers.suspended ? "suspended" : "closed";
}

export async function listProjects(db: Db, id: number, by: By): Promise<Project[]> {
  await enter(db, id, "read", by);
  const rows = await db
    .selectFrom("projects")
    .select(["projects.id", "projects.name", "projects.status", "projects.created_at"])
    .where("organisation_id", "=", id)
    .orderBy("projects.name")
    .execute();
  const sums = await db
    .selectFrom("organisation_keys as keys")
    .innerJoin("tokens", "tokens.id", "keys.token_id")
    .leftJoin("counters", (join) =>
      join.onRef("counters.id", "=", "keys.token_id").on("counters.kind", "=", "token"),
    )
    .select((eb) => [
      "keys.project_id",
      eb.fn
        .sum<number>(eb.case().when("tokens.DeletedAt", "is", null).then(1).else(0).end())
        .as("key_count"),
      eb.fn.sum<number>(eb.fn.coalesce("counters.used_quota", eb.lit(0))).as("used_quota"),
    ])
    .where("keys.organisation_id", "=", id)
    .groupBy("keys.project_id")
    .execute();
  const byProject = new Map(sums.map((row) => [row.project_id, row]));
  const shown = rows.map(({ status, ...row }): Project => {
    const sum = byProject.get(row.id);
    return {
      ...row,
      state: stateOf(status),
      key_count: Number(sum?.key_count ?? 0),
      used_quota: Number(sum?.used_quota ?? 0),
    };
  });
  return shown.toSorted((a, b) => Number(a.state === "closed") - Number(b.state === "closed"));
}

async function refuseTaken(tx: Db, id: number, name: string): Promise<void> {
  const taken = await tx
    .selectFrom("projects")
    .select("id")
    .where("organisation_id", "=", id)
    .where("name", "=", name)
    .executeTakeFirst();
  if (taken === undefined) return;
  throw new Refusal("already-exists", "该组织中已有同名项目", { field: "name" });
}

export async function createProject(
  tx: Db,
  id: number,
  name: string,
  by: By,
): Promise<{ readonly id: number }> {
  await enterToChange(tx, id, "projects", by);
  await refuseTaken(tx, id, name);
  const { count } = await tx
    .selectFrom("projects")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("organisation_id", "=", id)
    .executeTakeFirstOrThrow();
  if (count >= projectsMax) {
    throw new Refusal("limit-reached", `一个组织最多 ${projectsMax} 个项目`);
  }
  const created_at = unixSeconds(by.nowMs);
  const made = await tx
    .insertInto("projects")
    .values({ organisation_id: id, name, status: numbers.open, created_at })
    .returning("id")
    .executeTakeFirstOrThrow();
  await note(tx, by, "organisation.project", id, { project: made.id, name });
  return made;
}

type ProjectChange = {
  readonly project: number;
  readonly name: string | undefined;
  readonly state: ProjectState | undefined;
};

/**
 * Renames a project, and suspends, opens or closes it. Its keys follow: calls that run with a key
 * that is disabled or removed end within seconds.
 */
export async function updateProject(
  tx: Db,
  id: number,
  change: ProjectChange,
  by: By,
): Promise<void> {
  await enterToChange(tx, id, "projects", by);
  const before = await tx
    .selectFrom("projects")
    .select(["id", "name", "status"])
    .where("id", "=", change.project)
    .where("organisation_id", "=", id)
    .executeTakeFirst();
  if (before === undefined) throw new Refusal("not-found", "项目不存在");
  const { name = before.name, state = stateOf(before.status) } = change;
  const status = numbers[state];
  if (name === before.name && status === before.status) return;
  if (before.status === numbers.closed) throw new Refusal("not-allowed", "项目已关闭");
  if (name !== before.name) await refuseTaken(tx, id, name);
  await tx.updateTable("projects").set({ name, status }).where("id", "=", before.id).execute();
  if (status !== before.status) await changeKeys(tx, before.id, state, by);
  const was = { name: before.name, state: stateOf(before.status) };
  const detail = { project: before.id, before: was, after: { name, state } };
  await note(tx, by, "organisation.project", id, detail);
}

/** Brings the keys of a project to its new state. */
async function changeKeys(tx: Db, project: number, state: ProjectState, by: By): Promise<void> {
  const query = tx
    .selectFrom("organisation_keys as keys")
    .innerJoin("tokens", "tokens.id", "keys.token_id")
    .select(["tokens.id", "tokens.user_id", "tokens.status", "keys.suspended"])
    .where("keys.project_id", "=", project)
    .where("tokens.DeletedAt", "is", null)
    .orderBy("tokens.id");
  // All of them first, so that two such changes cannot deadlock.
  const keys = await lockRows(tx, query).execute();
  const { disabled, enabled } = tokenStatus.enum;
  for (const { id, user_id: owner, status, suspended } of keys) {
    const ofKey = { actor: by.actor, owner, nowMs: by.nowMs };
    switch (state) {
      case "closed":
        await removeToken(tx, id, ofKey);
        break;
      case "suspended":
        if (status === disabled) break;
        await setStatus(tx, id, disabled, ofKey);
        await markSuspended(tx, id, 1);
        break;
      case "open":
        if (suspended === 0) break;
        await markSuspended(tx, id, 0);
        if (status === disabled) await enable(tx, id, enabled, ofKey);
        break;
    }
  }
}

type ForKey = Parameters<typeof setStatus>[3];

/** Enables a key again, unless it has expired or is used up by now. */
async function enable(tx: Db, id: number, enabled: 1, by: ForKey): Promise<void> {
  try {
    await setStatus(tx, id, enabled, by);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
  }
}

async function markSuspended(tx: Db, tokenId: number, suspended: 0 | 1): Promise<void> {
  await tx
    .updateTable("organisation_keys")
    .set({ suspended })
    .where("token_id", "=", tokenId)
    .execute();
}

/** @throws Refusal `not-found`, or `not-allowed` for a project that is not open. */
export async function requireOpenProject(tx: Db, id: number, project: number): Promise<void> {
  const found = await tx
    .selectFrom("projects")
    .select("status")
    .where("id", "=", project)
    .where("organisation_id", "=", id)
    .executeTakeFirst();
  if (found === undefined) throw new Refusal("not-found", "项目不存在");
  if (found.status !== numbers.open) throw new Refusal("not-allowed", "项目已停用或关闭");
}
