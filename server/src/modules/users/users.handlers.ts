/** The console API of users. */

import { balanceDaysMax, readBalanceChange } from "@tollgate/contract/endpoints/balance-changes.ts";
import { daySeconds, hourSeconds } from "@tollgate/contract/fields/time-zone.ts";
import { listOwnEntries, listUserEntries } from "@tollgate/contract/endpoints/entries.ts";
import type { PageInput } from "@tollgate/contract/endpoints/page.ts";
import { readPageWindow } from "@tollgate/contract/endpoints/page.ts";
import * as admin from "@tollgate/contract/endpoints/user-admin.ts";
import * as contract from "@tollgate/contract/endpoints/users.ts";
import { unixSeconds } from "#base/clock.ts";
import type { Random } from "#base/random.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import { type Caller, type Handler, handle, reply, withExtras } from "#http/handler.ts";
import { newAffCodes } from "#modules/affiliates/affiliates.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import type { ReadSettingText } from "#modules/notifications/notifications.ts";
import type { Options } from "#modules/options/options.ts";
import type { Passwords } from "#modules/passwords/passwords.ts";
import type { Sessions } from "#modules/sessions/sessions.ts";
import type { By } from "./changes.ts";
import { openTotals } from "./usage-windows.ts";
import type { UserFilter } from "./users.repo.ts";
import type { UserStore } from "./users.store.ts";

type UserDeps = {
  readonly store: UserStore;
  readonly money: Money;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly readSettingText: ReadSettingText;
  readonly limits: RateLimits;
  /** Names of the groups that exist. */
  readonly listGroups: () => readonly string[];
  readonly readOption: Options["read"];
  /**
   * Whether the caller signed in within the last minutes. Users without a password need this in
   * place of their present password.
   */
  readonly signedInLately: (caller: Caller) => Promise<boolean>;
  readonly random: Random;
  /** Resolves when the written changes are in effect on this node. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** The limit on wrong present passwords that a user sends; correct ones are not counted. */
const passwordRule: RateRule = { name: "own-password", windowMs: 15 * 60_000, max: 5, exact: true };

const newUserGroup = "default";

export function userHandlers(deps: UserDeps): Handler[] {
  return [...listHandlers(deps), ...adminHandlers(deps), ...ownHandlers(deps)];
}

function listHandlers({ store, now }: UserDeps): Handler[] {
  const totals = openTotals(store.readHourSums, now);
  const search = async (input: PageInput, filter: UserFilter) =>
    await store.pageUsers(filter, readPageWindow(input), await totals(), now());
  return [
    handle(admin.listUsers, (input) => search(input, { keyword: "", group: "" })),

    handle(admin.searchUsers, ({ keyword, group, ...input }) => search(input, { keyword, group })),

    handle(admin.queryUsers, async ({ keyword, group, ...input }) => {
      const filter = { keyword, group };
      if (input.p !== undefined || input.page_size !== undefined) {
        const page = await search(input, filter);
        return withExtras(page, { total: page.total });
      }
      const window = { page: 1, page_size: admin.queryUsersMax };
      const { items, total } = await store.pageUsers(filter, window, await totals(), now());
      return withExtras(items, { total });
    }),

    handle(admin.readUser, async ({ id }, caller) =>
      store.readForAdmin(id, { userId: caller.userId, role: caller.role }, await totals(), now()),
    ),

    handle(listUserEntries, ({ id, ...input }, { userId, role }) =>
      store.pageEntriesForAdmin(id, { userId, role }, entryWindow(input)),
    ),

    handle(listOwnEntries, (input, { userId }) => store.pageEntries(userId, entryWindow(input))),

    handle(readBalanceChange, async ({ start_timestamp: from, ahead = 0 }, { userId }) => {
      const at = unixSeconds(now());
      const oldest = at - balanceDaysMax * daySeconds;
      const start = Math.min(at, Math.max(oldest, from ?? at - daySeconds));
      return await store.readBalanceChange({
        userId,
        start: start - (start % hourSeconds),
        now: at,
        ahead: Math.max(-daySeconds, Math.min(daySeconds, ahead * 60)),
      });
    }),
  ];
}

function entryWindow({
  keyword,
  ahead = 0,
  ...input
}: PageInput & { readonly keyword: string; readonly ahead?: number | undefined }) {
  return { ...readPageWindow(input), keyword: keyword.trim(), ahead };
}

function byOf(caller: Caller, nowMs: number): By {
  return { actor: actorOf(caller), role: caller.role, requestId: caller.requestId, nowMs };
}

function adminHandlers(deps: UserDeps): Handler[] {
  const { store, money, passwords, now, applyChanges } = deps;
  return [
    handle(admin.createUser, async (input, caller) => {
      await createUser(deps, input, caller);
    }),

    handle(admin.updateUser, async ({ password, ...input }, caller) => {
      const { id, quota, quota_delta, quota_version, used_quota, reason = "", ...columns } = input;
      const wish = { quota, quota_delta, quota_version, used_quota };
      const password_hash =
        password === undefined ? undefined : await passwords.hashChosen(password);
      const { delta } = await store.planQuota(id, caller.role, wish);
      const groups = deps.listGroups();
      const edit = { id, ...columns, password_hash, groups, wish, delta, reason };
      await money.moveUser(id, delta, () => store.editUser(edit, byOf(caller, now())));
      await applyChanges();
    }),

    handle(admin.waiveDebt, async ({ id, reason }, caller) => {
      await money.creditUser(id, () => store.waiveDebt(id, reason, byOf(caller, now())));
    }),

    handle(admin.manageUser, async ({ id, username, action }, caller) => {
      if (id === undefined && !username) throw new Refusal("invalid-input", "无效的参数");
      const who = id === undefined ? { username: username ?? "" } : { id };
      const managed = await store.manageUser(who, action, byOf(caller, now()));
      await applyChanges();
      return {
        role: contract.role.parse(managed.role),
        status: contract.userStatus.parse(managed.status),
      };
    }),

    handle(admin.updateUserStatuses, async ({ ids, status }, caller) => {
      const results = await store.changeUsers(ids, { status }, byOf(caller, now()));
      await applyChanges();
      return results;
    }),

    handle(admin.updateUserGroups, async ({ ids, group }, caller) => {
      const change = { group, groups: deps.listGroups() };
      const results = await store.changeUsers(ids, change, byOf(caller, now()));
      await applyChanges();
      return results;
    }),

    handle(admin.removeUser, async ({ id }, caller) => {
      await store.removeUser(id, byOf(caller, now()));
      await applyChanges();
    }),
  ];
}

type Creation = {
  readonly username?: string | undefined;
  readonly display_name?: string | undefined;
  readonly password?: string | undefined;
  readonly role?: number | undefined;
};

async function createUser(deps: UserDeps, input: Creation, caller: Caller): Promise<void> {
  const { username, password, display_name } = input;
  if (!username || password === undefined) {
    throw new Refusal("invalid-input", "用户名和密码不能为空！");
  }
  if ((input.role ?? 0) >= caller.role) {
    throw new Refusal("not-allowed", "无法创建权限大于等于自己的用户");
  }
  const quota = deps.readOption("QuotaForNewUser");
  const id = await deps.store.createUser(actorOf(caller), {
    username,
    display_name: display_name || username,
    // The user's language is not known before the first sign-in.
    language: "",
    password_hash: await deps.passwords.hashChosen(password),
    // Somebody else knows it, so its owner chooses another one at the first sign-in.
    password_expired: 1,
    role: contract.role.enum.user,
    group: newUserGroup,
    affCodes: newAffCodes(deps.random),
    quota,
    cause: "gift:{id}",
    logText: `新用户注册赠送 ${quota}`,
    nowMs: deps.now(),
  });
  deps.money.openedUser(id, quota);
  await deps.applyChanges();
}

function ownHandlers(deps: UserDeps): Handler[] {
  const { store, sessions, now, applyChanges, readSettingText } = deps;
  return [
    handle(contract.readSelf, async (_, { userId }) => {
      const [self, setting] = await Promise.all([store.readSelf(userId), readSettingText(userId)]);
      return { ...self, setting };
    }),

    handle(contract.updateSelf, async ({ password, original_password, ...columns }, caller) => {
      const password_hash =
        password === undefined
          ? undefined
          : await newPasswordHash(deps, caller, password, original_password ?? "");
      const username = await store.editSelf({ ...columns, password_hash }, byOf(caller, now()));
      await applyChanges();
      // The new password has ended this session, too, so the browser gets a new one.
      if (password_hash === undefined || caller.sessionId === null) return undefined;
      const user = { id: caller.userId, username, role: caller.role };
      return reply(undefined, {
        setCookie: await sessions.start(user, caller, null),
      });
    }),

    handle(contract.removeSelf, async ({ username, id }, caller) => {
      const isOther = username !== undefined && username !== caller.username;
      if (isOther || (id !== undefined && id !== caller.userId)) {
        const field = isOther ? "username" : "id";
        throw new Refusal("invalid-input", "请输入你的账户名以确认删除！", { field });
      }
      await store.removeSelf(byOf(caller, now()));
      await applyChanges();
      return reply(undefined, { setCookie: await sessions.end(caller) });
    }),
  ];
}

/**
 * Checks the present password and hashes the new one.
 * @throws Refusal `not-allowed` when the present password is missing or wrong, or when the user has
 * none and did not sign in within the last minutes; `rate-limited` after too many wrong passwords;
 * `invalid-input` when the new password equals the present one or is too common.
 */
async function newPasswordHash(
  { store, passwords, limits, sessions, signedInLately }: UserDeps,
  caller: Caller,
  password: string,
  present: string,
): Promise<string> {
  const { userId } = caller;
  const before = await store.readPasswordHash(userId);
  if (before === "") {
    if (await signedInLately(caller)) return await passwords.hashChosen(password);
    throw new Refusal("not-allowed", "请重新登录后再试");
  }
  const field = "original_password";
  // A user who signed in to this session with a password that somebody else gave need not send it
  // again to replace it.
  const isGiven = present === "" && (await sessions.hasGivenPassword(caller));
  if (present === "" && !isGiven) {
    throw new Refusal("not-allowed", "修改密码需要提供当前密码", { field });
  }
  const { allowed, retryAfterMs } = await limits.take(passwordRule, String(userId));
  if (!allowed) throw new Refusal("rate-limited", "尝试次数过多，请稍后再试", { retryAfterMs });
  if (!isGiven && !(await passwords.verify(present, before))) {
    throw new Refusal("not-allowed", "当前密码不正确", { field });
  }
  await limits.giveBack(passwordRule, String(userId));
  const isSame = isGiven
    ? await passwords.verify(password, before)
    : password.normalize("NFC") === present.normalize("NFC");
  if (isSame) {
    throw new Refusal("invalid-input", "新密码不能与当前密码相同", { field: "password" });
  }
  return await passwords.hashChosen(password);
}
