/** Users of another gateway: how they are created here, changed by a later run, and taken back. */

import type { Random } from "#base/random.ts";
import { recordChange } from "#db/changes.ts";
import type { Db } from "#db/database.ts";
import { newAffCodes } from "#modules/affiliates/affiliates.ts";
import { appendAudit, systemActor } from "#modules/audit/audit.ts";
import type { NeutralUser } from "#ports/neutral.ts";
import { updateUser } from "./users.repo.ts";
import { bearUser, noteUser } from "./users.ts";

type Importing = {
  readonly user: NeutralUser;
  /** The name here, which is free. */
  readonly username: string;
  readonly displayName: string;
  /** The e-mail address, if it is free here; else empty. */
  readonly email: string;
  readonly passwordHash: string;
  /** Names the import in the audit log. */
  readonly source: string;
  readonly random: Random;
  /** Whether the user cannot call here yet. */
  readonly isMoving: boolean;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

/** How long an invite code may be, in characters. */
const affCodeMax = 32;

/** Creates a user, without a balance. @returns the id. */
export async function addImportedUser(tx: Db, importing: Importing): Promise<number> {
  const { user, username, displayName, email, source, random, nowMs } = importing;
  const own = user.affCode === "" || user.affCode.length > affCodeMax ? [] : [user.affCode];
  const id = await bearUser(tx, {
    username,
    display_name: displayName,
    language: user.language,
    password_hash: importing.passwordHash,
    role: user.role,
    group: user.group,
    affCodes: [...own, ...newAffCodes(random)],
    quota: 0,
    cause: "",
    logText: "",
    nowMs,
  });
  await updateUser(tx, id, {
    status: user.isEnabled ? 1 : 2,
    moving: importing.isMoving ? 1 : 0,
    email,
    github_id: user.githubId,
    oidc_id: user.oidcId,
    wechat_id: user.wechatId,
    telegram_id: user.telegramId,
    linux_do_id: user.linuxDoId,
    DeletedAt: user.deletedAt,
    ...(user.createdTime > 0 ? { create_time: user.createdTime } : {}),
  });
  const detail = { username, source_id: user.id, quota: user.balance };
  await note(tx, { id, source, detail, nowMs });
  return id;
}

type Changing = {
  readonly id: number;
  readonly columns: Partial<Pick<Parameters<typeof updateUser>[2], ChangedName>>;
  readonly source: string;
  readonly nowMs: number;
};

type ChangedName =
  | "aff_code"
  | "DeletedAt"
  | "display_name"
  | "github_id"
  | "group"
  | "inviter_id"
  | "linux_do_id"
  | "oidc_id"
  | "password_hash"
  | "status"
  | "telegram_id"
  | "username"
  | "username_key"
  | "wechat_id"
  | "email";

/** Changes a user who was imported, as the source or the end of the import asks. */
export async function changeImportedUser(
  tx: Db,
  { id, columns, source, nowMs }: Changing,
): Promise<void> {
  await updateUser(tx, id, columns);
  await recordChange(tx, "users", id);
  const detail = { changed: Object.keys(columns) };
  await note(tx, { id, source, detail, nowMs, names: Object.keys(columns) });
}

async function note(
  tx: Db,
  {
    id,
    source,
    detail,
    nowMs,
    names,
  }: {
    readonly id: number;
    readonly source: string;
    readonly detail: object;
    readonly nowMs: number;
    readonly names?: readonly string[];
  },
): Promise<void> {
  await appendAudit(tx, {
    actor: systemActor,
    action: "user.import",
    target: `user:${id}`,
    detail: { source, ...detail },
    row: await noteUser(tx, id, names),
    nowMs,
  });
}
