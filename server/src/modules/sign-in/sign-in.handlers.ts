/** The console API of sign-in by password. */

import * as contract from "@tollgate/contract/endpoints/sign-in.ts";
import { passwordMin, userStatus } from "@tollgate/contract/endpoints/users.ts";
import { characterCount } from "@tollgate/contract/fields/fields.ts";
import { countAttempt } from "#base/attempts.ts";
import { addressBlock } from "#base/ip-ranges.ts";
import type { Logger } from "#base/logger.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import { type Caller, type Handler, handle } from "#http/handler.ts";
import type { Options } from "#modules/options/options.ts";
import { isOutdated, type Passwords } from "#modules/passwords/passwords.ts";
import type { Credentials } from "./sign-in.repo.ts";
import type { SignInStore } from "./sign-in.store.ts";
import type { Sessions } from "#modules/sessions/sessions.ts";
import type { BotCheck, Enter } from "./sign-in.ts";

type SignInDeps = {
  readonly store: SignInStore;
  readonly passwords: Passwords;
  readonly sessions: Pick<Sessions, "findDevice">;
  readonly limits: RateLimits;
  readonly checkBot: BotCheck;
  readonly enter: Enter;
  readonly readOption: Options["read"];
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
};

const quarterMs = 15 * 60_000;

/**
 * Limits on failed sign-ins: per name and IP address, per IP address, and per name. Successful
 * sign-ins are not counted. Anybody can use up the last one, so it spares IP addresses from which
 * the user has signed in before; and a device with which the user has signed in before has a limit
 * of its own, in place of all of them.
 */
const pairRule: RateRule = { name: "login-pair", windowMs: quarterMs, max: 5, exact: true };
const addressRule: RateRule = { name: "login-address", windowMs: quarterMs, max: 20, exact: true };
const accountRule: RateRule = {
  name: "login-account",
  windowMs: 4 * quarterMs,
  max: 50,
  exact: true,
};
const deviceRule: RateRule = { name: "login-device", windowMs: quarterMs, max: 5, exact: true };

/**
 * The largest number of sign-ins in progress. Fewer than may wait for a hash (`waitingMax` of
 * `passwords/hashing.ts`), so that a burst of sign-ins leaves room for those who are signed in.
 */
const signInsMax = 48;

const busyRetryMs = 2_000;

export function signInHandlers(deps: SignInDeps): Handler[] {
  let running = 0;
  return [
    handle(contract.login, async (input, caller) => {
      if (!deps.readOption("PasswordLoginEnabled")) {
        throw new Refusal("not-allowed", "管理员关闭了密码登录");
      }
      // Refused before the database is asked and before the attempt is counted, so that a burst of
      // sign-ins costs little, and costs nobody an attempt.
      if (running >= signInsMax) {
        throw new Refusal("busy", "服务器繁忙，请稍后再试", { retryAfterMs: busyRetryMs });
      }
      running += 1;
      try {
        await deps.checkBot(input.turnstile, caller.clientIp);
        return await deps.enter(await signIn(deps, input, caller), caller, "password");
      } finally {
        running -= 1;
      }
    }),
  ];
}

type Typed = { readonly username: string; readonly password: string };

/**
 * Checks name and password. Every failure has the same message, so that a caller cannot find out
 * which names exist.
 * @throws Refusal `not-allowed` or `rate-limited`.
 */
async function signIn(deps: SignInDeps, { username, password }: Typed, caller: Caller) {
  const { store, passwords, log } = deps;
  const { clientIp, requestId } = caller;
  const name = username.trim();
  const { user, device, giveBack } = await countSignIn(deps, name, caller);
  const origin = { clientIp, isKnownDevice: device !== undefined };
  const failures = await store.readFailures(user?.id ?? 0, origin);
  const matches = await passwords.verify(password, user?.password_hash ?? null);
  const isEnabled = user?.status === userStatus.enum.enabled;
  if (user === undefined || !matches || !isEnabled || !failures.mayTry) {
    log.warn({ requestId, clientIp }, "sign-in failed");
    if (user !== undefined && !matches && failures.mayTry) countFailure(deps, user, clientIp);
    throw new Refusal("not-allowed", "用户名或密码错误，或用户已被封禁");
  }
  await giveBack();
  if (failures.count > 0) await store.forgetFailures(user.id);
  return { ...user, ...(await settlePassword(deps, user, password)) };
}

const tooMany = "登录尝试次数过多，请稍后再试";

/**
 * Finds the user of a name, and counts the attempt.
 * @throws Refusal `rate-limited`, in the same words whether or not the name exists.
 */
async function countSignIn(deps: SignInDeps, name: string, caller: Caller) {
  const { store, sessions, limits } = deps;
  // A browser without marks costs no query before it is counted.
  const marked = caller.deviceMarks === undefined ? undefined : await store.findCredentials(name);
  const device = marked === undefined ? undefined : sessions.findDevice(caller, marked.id);
  if (device !== undefined) {
    const own = await countAttempt(limits, [[deviceRule, device]], tooMany);
    return { user: marked, device, giveBack: own.giveBack };
  }
  const [account, address] = [name.toLowerCase(), addressBlock(caller.clientIp)];
  const pair = [pairRule, `${account} ${address}`] as const;
  const here = await countAttempt(limits, [pair, [addressRule, address]], tooMany);
  const { allowed, retryAfterMs } = await limits.take(accountRule, account);
  const user = marked ?? (await store.findCredentials(name));
  if (!allowed) {
    const isHome = user !== undefined && (await store.isKnownPlace(user.id, caller.clientIp));
    if (!isHome) {
      await here.giveBack();
      throw new Refusal("rate-limited", tooMany, { retryAfterMs });
    }
  }
  const giveBack = async (): Promise<void> => {
    await here.giveBack();
    if (allowed) await limits.giveBack(accountRule, account);
  };
  return { user, device, giveBack };
}

/**
 * Counts a wrong password for a user. Not awaited, because the response time would show which names
 * exist.
 */
function countFailure(
  { store, now, log }: SignInDeps,
  { id, username }: Credentials,
  clientIp: string,
): void {
  store
    .noteFailure({ user: { id, username }, clientIp, nowMs: now() })
    .catch((error: unknown) => log.warn({ err: error }, "a wrong password was not counted"));
}

/**
 * The initial account of one-api and programs like it. Only an imported database can contain it.
 */
const defaultCredentials = { username: "root", password: "123456" };

/**
 * After a sign-in, replaces an outdated hash of the password, and marks the password as expired if
 * it is the well-known default, or an imported one that is too short here.
 */
async function settlePassword(
  { store, passwords, log }: SignInDeps,
  { id, username, password_hash, password_expired }: Credentials,
  password: string,
): Promise<Pick<Credentials, "password_expired">> {
  // A hash that was made of the password as it was typed is replaced by one of its NFC form; see
  // `password-text.ts`.
  const isComposed = password === password.normalize("NFC");
  if (isOutdated(password_hash) || !isComposed) {
    try {
      const after = await passwords.hash(password);
      await store.replaceHash(id, { before: password_hash, after });
    } catch (error) {
      log.warn({ err: error }, "a password keeps its old hash");
    }
  }
  const isDefault =
    username === defaultCredentials.username && password === defaultCredentials.password;
  const isTooShort = isOutdated(password_hash) && characterCount(password) < passwordMin;
  if (!isDefault && !isTooShort) return { password_expired };
  await store.expirePassword(id);
  return { password_expired: 1 };
}
