import {
  importProgress,
  importsMax,
  type ImportView,
} from "@tollgate/contract/endpoints/imports.ts";
import { Refusal } from "#base/refusal.ts";
import type { Db } from "#db/database.ts";
import { defineStore, type RemoteStore } from "#db/store.ts";
import { type Actor, appendAudit } from "#modules/audit/audit.ts";
import { openMovedUsers } from "#modules/users/users.ts";
import { countMoving, findImportedUser, type ImportRow, noteImported } from "./imports.repo.ts";

async function listImports(db: Db): Promise<ImportView[]> {
  const rows = await db
    .selectFrom("imports")
    .selectAll()
    .orderBy("id", "desc")
    .limit(importsMax)
    .execute();
  return await Promise.all(
    rows.map(async ({ progress, follows, ...row }) => ({
      ...row,
      follows: follows === 1,
      moving: follows === 1 ? await countMoving(db, row.id) : 0,
      progress: readProgress(progress),
    })),
  );
}

function readProgress(text: string): ImportView["progress"] {
  return text === "" ? null : (importProgress.safeParse(JSON.parse(text)).data ?? null);
}

type Opening = {
  readonly id: number;
  /** The user's name here, or id at the source. */
  readonly user: string;
  readonly actor: Actor;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** Lets a user call here. @throws Refusal if the user is not one who cannot. @returns the name. */
async function openUser(tx: Db, { id, user, actor, nowMs }: Opening): Promise<string> {
  const row = await tx.selectFrom("imports").selectAll().where("id", "=", id).executeTakeFirst();
  const found = row === undefined ? undefined : await openImported(tx, row, user);
  if (found === undefined) throw new Refusal("not-found", "没有正在迁入的这个用户");
  const target = `user:${found.target_id}`;
  const detail = { source: `import:${id}`, opened: true };
  await appendAudit(tx, { actor, action: "user.import", target, detail, nowMs });
  return found.username;
}

/** @returns undefined: no user of the name is waiting. */
export async function openImported(tx: Db, row: ImportRow, user: string) {
  if (row.follows === 0 || row.ended_at > 0 || row.undone_at > 0) return undefined;
  const found = await findImportedUser(tx, row.id, user);
  if (found === undefined) return undefined;
  const opened = { source_id: found.source_id, target_id: found.target_id, seen: "" };
  await noteImported(tx, row.id, "opened", opened);
  await openMovedUsers(tx, [found.target_id]);
  return found;
}

export const importStore = defineStore({ reads: { listImports }, writes: { openUser } });

export type ImportStore = RemoteStore<typeof importStore>;
