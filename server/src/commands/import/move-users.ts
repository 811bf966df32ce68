/** Moves users here: names, identities, balances, counters, and who invited whom. */

import { characterCount, isPlain } from "@tollgate/contract/fields/fields.ts";
import { hashText } from "#base/secrets.ts";
import type { Db } from "#db/database.ts";
import { foldText } from "#base/fold-text.ts";
import { countInvitation } from "#modules/affiliates/affiliates.ts";
import { isAddressTaken, findOwner, insertIdentity } from "#modules/identities/identities.ts";
import type { NeutralUser } from "#modules/import/import.ts";
import {
  findImported,
  type ImportedRow,
  isNameKnown,
  listUnkeyedNames,
  noteImported,
} from "#modules/import/imports.repo.ts";
import { noteChange, noteFault } from "#modules/import/report.ts";
import { openCounters, postEarning, postEntry } from "#modules/ledger/ledger.ts";
import { addImportedUser, changeImportedUser } from "#modules/users/imported-users.ts";
import { judged, type Move, moveBatch, moveTables } from "./move.ts";

/** The longest name that is kept, in characters. A user may choose another one here. */
const nameMax = 64;

export async function moveUsers(move: Move): Promise<void> {
  for (const name of await listUnkeyedNames(move.db)) move.taken.add(`name ${name}`);
  const { users, madeUsers } = move.reader;
  const handle = async (tx: Db, rows: readonly NeutralUser[]): Promise<void> => {
    const ids = rows.map(({ id }) => id);
    const known = await findImported(tx, move.importId, "user", ids);
    const opened = await findImported(tx, move.importId, "opened", ids);
    for (const user of rows) {
      const before = known.get(user.id);
      // What an opened user has there is not read again, because it may be spent here.
      if (before !== undefined && opened.has(user.id)) move.report.rows.user.same += 1;
      else if (before === undefined) await moveNew(move, tx, user);
      else await moveAgain(move, tx, user, before);
    }
  };
  move.report.rows.user.read += madeUsers.length;
  await moveBatch(move, madeUsers, handle);
  await moveTables(move, "user", users, handle);
  await moveInvitations(move);
}

/** What a later run compares: amounts as they are there, the rest as a hash. */
type Seen = {
  readonly balance: number;
  readonly used: number;
  readonly count: number;
  readonly rest: string;
  /** How often the balance was changed by later runs. */
  readonly times: number;
  /** Whether the user was here before, and got only what it has there. */
  readonly isMerged: boolean;
};

/** Reads what was noted of a user. */
export function parseSeen(text: string): Seen {
  // Safe cast: `seenOf` made the text.
  return JSON.parse(text) as Seen;
}

function seenOf(user: NeutralUser, { times, isMerged }: Pick<Seen, "isMerged" | "times">): Seen {
  const { isEnabled, group, displayName, passwordHash, deletedAt } = user;
  const rest = hashText(JSON.stringify([isEnabled, group, displayName, passwordHash, deletedAt]));
  return {
    balance: user.balance,
    used: user.usedQuota,
    count: user.requestCount,
    rest,
    times,
    isMerged,
  };
}

/** The amounts of a user in quota units of this installation. */
function amountsOf({ convert, rules }: Move, user: NeutralUser) {
  const balance = convert("quota", user.balance);
  return {
    balance: rules.negative === "zero" ? Math.max(0, balance) : balance,
    used: Math.max(0, convert("used_quota", user.usedQuota)),
    earnings: Math.max(0, convert("aff_quota", user.earnings)),
    count: Math.max(0, user.requestCount),
  };
}

async function moveNew(move: Move, tx: Db, user: NeutralUser): Promise<void> {
  await judged(move, "user", user.id, async () => {
    const amounts = amountsOf(move, user);
    const merged = await findMerged(move, tx, user);
    if (merged !== undefined && move.follows && !move.isLast) {
      // Who is here already can call, so there is only one time to bring the balance: the last.
      const what = `is merged with user ${merged.username} by --finish`;
      noteChange(move.report, { kind: "user", id: user.id, what });
      return;
    }
    if (merged !== undefined) {
      const what = `is merged with user ${merged.username}, who has the same e-mail address`;
      noteChange(move.report, { kind: "user", id: user.id, what });
      await give(move, tx, user, { ...amounts, id: merged.id, isMerged: true });
      return;
    }
    const username = await freeName(move, tx, user);
    if (username === null) {
      const what = `the name ${shorten(user.username)} is taken`;
      noteFault(move.report, { kind: "user", id: user.id, what });
      return;
    }
    const email = await freeAddress(move, tx, user);
    const id = move.writes
      ? await addImportedUser(tx, {
          user,
          username,
          displayName: plainName(user.displayName) || username,
          email,
          passwordHash: hashOf(move, user),
          source: sourceName(move),
          random: move.random,
          isMoving: move.follows,
          nowMs: move.now(),
        })
      : 0;
    await give(move, tx, user, { ...amounts, id, isMerged: false });
    if (move.writes) await giveIdentities(move, tx, user, id, email);
  });
}

/** How the import is named in causes and in the audit log. */
export function sourceName({ importId }: Pick<Move, "importId">): string {
  return `import:${importId}`;
}

function shorten(text: string): string {
  return text.slice(0, nameMax);
}

/** Characters that turn the text around them, so that a name looks like another one. */
const turning = /[\u202a-\u202e\u2066-\u2069]/;

function plainName(text: string): string {
  const name = text.trim();
  return isPlain(name) && !turning.test(name) && characterCount(name) <= nameMax ? name : "";
}

/** Finds the user here with the same address, if users are merged. */
async function findMerged({ rules }: Move, db: Db, { email, deletedAt }: NeutralUser) {
  if (rules.conflicts !== "merge" || email === "" || deletedAt !== null) return undefined;
  const owner = await findOwner(db, { issuer: "mail", subject: email.toLowerCase() });
  return owner?.DeletedAt === null ? owner : undefined;
}

/** Finds a name that is free here; null: the user is left out. */
async function freeName(move: Move, db: Db, user: NeutralUser): Promise<string | null> {
  const own = plainName(user.username);
  const wanted = own === "" ? `user${user.id}` : own;
  let name = wanted;
  for (let tries = 0; await isTaken(move, db, name); tries += 1) {
    if (own !== "" && move.rules.conflicts === "skip") return null;
    name = tries === 0 ? `${wanted}_${user.id}` : `${wanted}_${user.id}_${tries}`;
  }
  if (name !== user.username) {
    const what = `${shorten(user.username)} is renamed to ${name}`;
    noteChange(move.report, { kind: "user", id: user.id, what });
  }
  if (!move.writes) move.taken.add(`name ${foldText(name)}`);
  return name;
}

async function isTaken({ taken }: Move, db: Db, name: string): Promise<boolean> {
  return taken.has(`name ${foldText(name)}`) || (await isNameKnown(db, name));
}

/** Returns the user's e-mail address if nobody has it here, else an empty text. */
async function freeAddress(move: Move, db: Db, user: NeutralUser): Promise<string> {
  const address = user.email.toLowerCase();
  if (address === "") return "";
  const key = `mail ${address}`;
  const isFree = !move.taken.has(key) && !(await isAddressTaken(db, address));
  if (isFree) {
    if (!move.writes) move.taken.add(key);
    return address;
  }
  const what = "its e-mail address belongs to another user";
  noteChange(move.report, { kind: "user", id: user.id, what });
  return "";
}

/** The hashes of passwords that can be verified here: bcrypt and argon2. */
const knownHashes = /^\$(?:2[aby]|argon2(?:id|i|d))\$/;

function hashOf(move: Move, { id, passwordHash }: NeutralUser): string {
  if (passwordHash === "" || knownHashes.test(passwordHash)) return passwordHash;
  noteChange(move.report, { kind: "user", id, what: "has to set a new password" });
  return "";
}

/** Books what the user has at the source, and notes that the row is here. */
async function give(
  move: Move,
  tx: Db,
  user: NeutralUser,
  given: ReturnType<typeof amountsOf> & { readonly id: number; readonly isMerged: boolean },
): Promise<void> {
  const { id, balance, used, earnings, count, isMerged } = given;
  const { report, importId } = move;
  report.rows.user.created += 1;
  report.sums.balance += Math.max(0, balance);
  report.sums.debt += Math.max(0, -balance);
  report.sums.used += used;
  report.sums.earnings += earnings;
  if (user.isUnlimited) report.unlimitedUsers += 1;
  move.comingUsers.add(user.id);
  if (!move.writes) return;
  const cause = `${sourceName(move)}:${user.id}`;
  const shared = { cause, userId: id, detail: "", nowMs: move.now() };
  if (balance !== 0) await postEntry(tx, { ...shared, kind: "opening", amount: balance });
  if (earnings > 0) {
    await postEarning(tx, { ...shared, account: "invitations", kind: "invite", amount: earnings });
  }
  await openCounters(tx, { kind: "user", id, used_quota: used, request_count: count });
  const seen = JSON.stringify(seenOf(user, { times: 0, isMerged }));
  await noteImported(tx, importId, "user", { source_id: user.id, target_id: id, seen });
  if (!isMerged) move.expected.set(user.id, { id, username: user.username, amount: balance });
}

async function giveIdentities(
  { reader: { settings }, report, now }: Move,
  tx: Db,
  user: NeutralUser,
  userId: number,
  email: string,
): Promise<void> {
  const number = (text: string): string => (/^\d{1,20}$/.test(text) ? text : "");
  const identities = [
    { method: "email", issuer: "mail", subject: email },
    // An older source has names in place of ids, which their owners may give away.
    { method: "github", issuer: "https://github.com", subject: number(user.githubId) },
    {
      method: "linuxdo",
      issuer: "https://connect.linux.do",
      subject: number(user.linuxDoId),
    },
    { method: "telegram", issuer: "telegram", subject: number(user.telegramId) },
    { method: "wechat", issuer: "wechat", subject: user.wechatId },
    {
      method: "oidc",
      issuer: settings.oidcIssuer,
      subject: settings.oidcIssuer === "" ? "" : user.oidcId,
    },
  ];
  for (const { method, ...identity } of identities) {
    if (identity.subject === "") continue;
    if (await insertIdentity(tx, identity, { method, userId, nowMs: now() })) continue;
    const what = `its identity of ${method} belongs to another user`;
    noteChange(report, { kind: "user", id: user.id, what });
  }
}

/** Brings what has changed at the source since an earlier run. */
async function moveAgain(
  move: Move,
  tx: Db,
  user: NeutralUser,
  { target_id: id, seen: text }: ImportedRow,
): Promise<void> {
  const { report, importId } = move;
  move.comingUsers.add(user.id);
  const before = parseSeen(text);
  const now = seenOf(user, before);
  await judged(move, "user", user.id, async () => {
    const { balance: amount } = amountsOf(move, user);
    const { username } = user;
    if (!before.isMerged) move.expected.set(user.id, { id, username, amount });
    if (JSON.stringify(now) === text) {
      report.rows.user.same += 1;
      return;
    }
    const delta = amount - amountsOf(move, { ...user, balance: before.balance }).balance;
    const used = Math.max(0, move.convert("used_quota", user.usedQuota - before.used));
    report.rows.user.changed += 1;
    report.sums.balance += delta;
    report.sums.used += used;
    if (!move.writes) return;
    const times = before.times + 1;
    if (delta !== 0) {
      const cause = `${sourceName(move)}:${user.id}:${times}`;
      const shared = { cause, userId: id, detail: "", nowMs: move.now() };
      await postEntry(tx, { ...shared, kind: "opening", amount: delta });
    }
    const request_count = Math.max(0, user.requestCount - before.count);
    await openCounters(tx, { kind: "user", id, used_quota: used, request_count });
    if (now.rest !== before.rest && !before.isMerged) {
      const columns = {
        status: user.isEnabled ? 1 : 2,
        group: user.group,
        DeletedAt: user.deletedAt,
      };
      const nowMs = move.now();
      await changeImportedUser(tx, { id, columns, source: sourceName(move), nowMs });
    }
    const seen = JSON.stringify({ ...now, times });
    await noteImported(tx, importId, "user", { source_id: user.id, target_id: id, seen });
  });
}

/** Notes who invited whom, once all users are here. */
async function moveInvitations(move: Move): Promise<void> {
  // Who invited whom does not change, so only new users have news.
  if (!move.writes || (move.isRepeated && move.report.rows.user.created === 0)) return;
  const { importId, now } = move;
  // The rows were counted when they were read the first time.
  const quiet = { ...move, report: structuredClone(move.report), progress: async () => {} };
  await moveTables(quiet, "user", move.reader.users, async (tx, rows) => {
    const invited = rows.filter(({ inviterId, id }) => inviterId !== "" && inviterId !== id);
    const ids = invited.flatMap(({ id, inviterId }) => [id, inviterId]);
    const users = await findImported(tx, importId, "user", ids);
    const done = await findImported(tx, importId, "invitation", ids);
    for (const { id, inviterId } of invited) {
      const own = users.get(id);
      const userId = own === undefined || parseSeen(own.seen).isMerged ? 0 : own.target_id;
      const inviter = users.get(inviterId)?.target_id ?? 0;
      if (userId === 0 || inviter === 0 || userId === inviter || done.has(id)) continue;
      const columns = { inviter_id: inviter };
      const nowMs = now();
      await changeImportedUser(tx, { id: userId, columns, source: sourceName(move), nowMs });
      await countInvitation(tx, inviter);
      await noteImported(tx, importId, "invitation", {
        source_id: id,
        target_id: inviter,
        seen: "",
      });
    }
  });
}
