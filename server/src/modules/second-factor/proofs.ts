/**
 * Functions that the second-factor handlers share: verifying a proof, and opening and reading the
 * ticket that it belongs to. A ticket links the steps of a sign-in or other action.
 */

import type { SecondFactorNeeded } from "@tollgate/contract/endpoints/sign-in-answer.ts";
import { role, type ShortUser, shortUser, userStatus } from "@tollgate/contract/endpoints/users.ts";
import { addressBlock } from "#base/ip-ranges.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import { hashText, type Secrets } from "#base/secrets.ts";
import type { Caller } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { Passwords } from "#modules/passwords/passwords.ts";
import type { Sessions } from "#modules/sessions/sessions.ts";
import { isTotpCode, bareCode, recoveryLookup, stepOf, totpContext } from "./codes.ts";
import {
  type Factors,
  hasFactor,
  type Ticket,
  type TicketKey,
  type TicketPurpose,
} from "./second-factor.repo.ts";
import type { By, Proof, SecondFactorStore } from "./second-factor.store.ts";
import { freshMs, type SecondFactor, ticketGone } from "./second-factor.ts";

export type SecondFactorDeps = {
  readonly store: SecondFactorStore;
  readonly sessions: Sessions;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly limits: RateLimits;
  /** Returns a new ticket: 256 random bits. */
  readonly newTicket: () => string;
  /** Option `SystemName`. */
  readonly systemName: () => string;
  /** Option `ServerAddress`. */
  readonly serverAddress: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
};

const quarterMs = 15 * 60_000;

/**
 * Limits on wrong codes per user; correct codes are not counted. Three of a million codes are valid
 * at any time, so with these limits guessing takes years, even if the attacker knows the password.
 * Each place and device from which the user has signed in before is counted by itself, so that
 * nobody elsewhere uses up the attempts of the user.
 */
const codeRule: RateRule = { name: "second-factor", windowMs: quarterMs, max: 10, exact: true };
const codeDayRule: RateRule = {
  name: "second-factor-day",
  windowMs: 96 * quarterMs,
  max: 50,
  exact: true,
};

/**
 * Limit on wrong passwords when a user proves to own the account. It has the name of the limit at
 * the endpoint that changes the password, so that both count together.
 */
const passwordRule: RateRule = { name: "own-password", windowMs: quarterMs, max: 5, exact: true };

type TicketDeps = Pick<SecondFactorDeps, "newTicket" | "now" | "store">;

export function openSecondFactor(
  deps: Pick<SecondFactorDeps, "limits" | "newTicket" | "now" | "passwords" | "store">,
): SecondFactor {
  const { store, now } = deps;
  return {
    async ask(userId, givenPassword) {
      const factors = await store.readFactors(userId);
      if (!hasFactor(factors)) return undefined;
      const ticket = await openTicket(deps, { purpose: "login", userId, givenPassword });
      return { require_2fa: true, ticket, methods: methodsOf(factors) };
    },

    isSetUp: async (userId) => hasFactor(await store.readFactors(userId)),

    async requireStepUp({ userId, sessionId }) {
      if (!hasFactor(await store.readFactors(userId))) return;
      const provenMs = sessionId === null ? 0 : await store.readFactorTime(sessionId);
      if (now() - provenMs < freshMs) return;
      throw new Refusal("step-up-needed", "请先完成两步验证");
    },

    signedInLately: async (caller) => await signedInLately(deps, caller),

    proveOwner: async (caller, password) =>
      await proveOwner(deps, await store.readFactors(caller.userId), caller, password),
  };
}

function methodsOf({ totp, passkeys, recoveryCodes }: Factors): SecondFactorNeeded["methods"] {
  return [
    ...(totp !== undefined && totp.confirmed_at > 0 ? (["totp"] as const) : []),
    ...(passkeys.length > 0 ? (["passkey"] as const) : []),
    ...(recoveryCodes > 0 ? (["recovery"] as const) : []),
  ];
}

type NewTicket = {
  readonly purpose: TicketPurpose;
  /**
   * The user who takes the step to which the ticket belongs, such as a sign-in; 0 if not known yet.
   */
  readonly userId: number;
  readonly challenge?: string;
  /** Whether the first step was a password that somebody else gave the user. */
  readonly givenPassword?: boolean;
};

/**
 * Opens a ticket.
 * @returns the token that the browser sends back with the next step.
 */
export async function openTicket(
  { store, newTicket, now }: TicketDeps,
  { purpose, userId, challenge = "", givenPassword = false }: NewTicket,
): Promise<string> {
  const token = newTicket();
  const nowMs = now();
  const expires_at = nowMs + freshMs;
  const id = hashText(token);
  await store.openTicket(
    {
      id,
      purpose,
      user_id: userId,
      challenge,
      expires_at,
      failures: 0,
      by_given_password: givenPassword ? 1 : 0,
    },
    nowMs,
  );
  return token;
}

export function ticketKey(token: string, purpose: TicketPurpose, nowMs: number): TicketKey {
  return { id: hashText(token), purpose, nowMs };
}

/**
 * Finds the ticket of a token.
 * @throws Refusal `not-found` if there is none or it has expired.
 */
export async function findTicket({ store }: SecondFactorDeps, key: TicketKey): Promise<Ticket> {
  const ticket = await store.findTicket(key);
  if (ticket === undefined) throw ticketGone();
  return ticket;
}

/**
 * Reads the user to whom a ticket belongs.
 * @throws Refusal `not-allowed` if the user was disabled or deleted in the meantime.
 */
export async function readSigner({ store }: SecondFactorDeps, userId: number): Promise<ShortUser> {
  const person = await store.findPerson(userId);
  if (person === undefined || person.status !== userStatus.enum.enabled) {
    throw new Refusal("not-allowed", "用户名或密码错误，或用户已被封禁");
  }
  return shortUser.parse({
    ...person,
    role: role.parse(person.role),
    password_expired: person.password_expired === 0 ? undefined : true,
  });
}

export function byOf(caller: Caller, user: Pick<ShortUser, "id" | "username">, nowMs: number): By {
  return { actor: { ...actorOf(caller), userId: user.id, username: user.username }, nowMs };
}

/**
 * Verifies a user's code and uses it up, together with the ticket that it was requested for.
 * @param ticket null if the code was requested without a ticket.
 * @throws Refusal `not-allowed`, `rate-limited`, or `not-found` if the ticket no longer exists.
 */
export async function proveByCode(
  deps: SecondFactorDeps,
  code: string,
  ticket: TicketKey | null,
  by: By,
  caller: Pick<Caller, "clientIp" | "deviceMarks">,
): Promise<void> {
  const { store, limits } = deps;
  const key = await counterOf(deps, by.actor.userId, caller);
  await takeOrRefuse(limits, codeDayRule, key);
  await takeOrRefuse(limits, codeRule, key);
  const proof = await readProof(deps, by.actor.userId, code, by.nowMs);
  if (proof === undefined || !(await store.proveByCode(proof, ticket, by))) {
    if (ticket !== null) await store.failTicket(ticket.id);
    throw new Refusal("not-allowed", "验证码错误或已被使用", { field: "code" });
  }
  await limits.giveBack(codeRule, key);
  await limits.giveBack(codeDayRule, key);
}

/** Returns whose attempts a code counts among: the user's, or those of a known device or place. */
async function counterOf(
  { store, sessions }: SecondFactorDeps,
  userId: number,
  caller: Pick<Caller, "clientIp" | "deviceMarks">,
): Promise<string> {
  const device = sessions.findDevice(caller, userId);
  if (device !== undefined) return `${userId} device ${device}`;
  const isHome = await store.isKnownPlace(userId, caller.clientIp);
  return isHome ? `${userId} place ${addressBlock(caller.clientIp)}` : String(userId);
}

/**
 * Brings a code to the form in which the database looks it up. Undefined if it is not valid now.
 */
async function readProof(
  { store, secrets }: SecondFactorDeps,
  userId: number,
  code: string,
  nowMs: number,
): Promise<Proof | undefined> {
  if (!isTotpCode(code)) {
    return { kind: "recovery", lookup: recoveryLookup(secrets, userId, code) };
  }
  const { totp } = await store.readFactors(userId);
  if (totp === undefined || totp.confirmed_at === 0) return undefined;
  const secret = secrets.open(totpContext(userId), totp.sealed);
  const step = stepOf(secret, bareCode(code), nowMs);
  return step === undefined ? undefined : { kind: "totp", step };
}

/**
 * Verifies that the owner of the account adds a first factor, and not somebody at an unattended
 * browser. The owner proves it by password or, if the account has no password, by a recent sign-in.
 * If the account already has a factor, nothing is verified here: the endpoint requires a step-up.
 * @throws Refusal `not-allowed`, or `step-up-needed` if the caller has to sign in again.
 */
export async function proveOwner(
  deps: Pick<SecondFactorDeps, "limits" | "now" | "passwords" | "store">,
  factors: Factors,
  caller: Caller,
  password: string,
): Promise<void> {
  if (hasFactor(factors)) return;
  const { store, passwords, limits } = deps;
  const person = await store.findPerson(caller.userId);
  if (person === undefined) throw new Refusal("not-found", "用户不存在");
  if (person.password_hash === "") {
    if (await signedInLately(deps, caller)) return;
    throw new Refusal("step-up-needed", "请重新登录后再试");
  }
  if (password === "") {
    throw new Refusal("not-allowed", "请输入当前密码", { field: "password" });
  }
  const key = String(caller.userId);
  await takeOrRefuse(limits, passwordRule, key);
  if (!(await passwords.verify(password, person.password_hash))) {
    throw new Refusal("not-allowed", "当前密码不正确", { field: "password" });
  }
  await limits.giveBack(passwordRule, key);
}

async function signedInLately(
  { store, now }: Pick<SecondFactorDeps, "now" | "store">,
  { sessionId }: Caller,
): Promise<boolean> {
  if (sessionId === null) return false;
  return now() - (await store.readSessionStart(sessionId)) < freshMs;
}

async function takeOrRefuse(limits: RateLimits, rule: RateRule, key: string): Promise<void> {
  const { allowed, retryAfterMs } = await limits.take(rule, key);
  if (allowed) return;
  throw new Refusal("rate-limited", "尝试次数过多，请稍后再试", { retryAfterMs });
}
