/** The console API of a forgotten password: a code by e-mail, then another password. */

import * as contract from "@tollgate/contract/endpoints/registration.ts";
import { countAttempt } from "#base/attempts.ts";
import { addressBlock } from "#base/ip-ranges.ts";
import type { Logger } from "#base/logger.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import { type Caller, type Handler, handle } from "#http/handler.ts";
import { mailRules, type SentCode, sentCode } from "#modules/identities/identities.ts";
import { type Mail, writeMail } from "#modules/mail/mail.ts";
import type { Options } from "#modules/options/options.ts";
import type { Passwords } from "#modules/passwords/passwords.ts";
import type { BotCheck } from "#modules/sign-in/sign-in.ts";
import type { RegistrationStore } from "./registration.store.ts";

type PasswordResetDeps = {
  readonly store: RegistrationStore;
  readonly readOption: Options["read"];
  readonly mail: Mail;
  readonly checkBot: BotCheck;
  readonly passwords: Passwords;
  readonly secrets: Secrets;
  readonly limits: RateLimits;
  /** Returns the secret part of a link: 190 random bits in letters and digits. */
  readonly newLinkToken: () => string;
  /** Returns a password of at least 20 random letters and digits. */
  readonly newPassword: () => string;
  /** Public address of this server, without a trailing slash. */
  readonly ownAddress: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
};

/**
 * The largest number of attempts to use a reset link from one IP address; successful ones are not
 * counted.
 */
const resetRule: RateRule = { name: "reset-tries", windowMs: 20 * 60_000, max: 20, exact: true };

const minuteMs = 60_000;

const tooOften = "操作过于频繁，请稍后再试";

/** The resets that are running, by the hash of the code in their link. */
type RunningResets = Map<string, Promise<string>>;

export function passwordResetHandlers(deps: PasswordResetDeps): Handler[] {
  const running: RunningResets = new Map();
  return [
    handle(contract.sendResetLink, async ({ email, turnstile, lang }, caller) => {
      await deps.checkBot(turnstile, caller.clientIp);
      if (!deps.mail.isSetUp()) throw new Refusal("not-allowed", "管理员未配置邮件服务");
      await countAttempt(deps.limits, mailRules(email, addressBlock(caller.clientIp)), tooOften);
      // The link is sent after the answer, because otherwise the response time would show whether
      // the e-mail address has an account.
      setImmediate(() => {
        sendLinkToOwner(deps, email, lang || (caller.language ?? "")).catch((error: unknown) => {
          deps.log.warn({ err: error, requestId: caller.requestId }, "no reset link was sent");
        });
      });
    }),

    handle(
      contract.resetPassword,
      async (input, caller) => await resetPassword(deps, running, input, caller),
    ),
  ];
}

function linkCode({ secrets }: PasswordResetDeps, address: string, token: string): SentCode {
  return sentCode(secrets, { purpose: "reset", address }, token);
}

/**
 * Sends a reset link if the e-mail address belongs to a user.
 * @param asked language of the page, for users whose own language is not known.
 */
async function sendLinkToOwner(
  deps: PasswordResetDeps,
  address: string,
  asked: string,
): Promise<void> {
  const { store, mail, now } = deps;
  const owner = await store.findResettable(address);
  if (owner === undefined) return;
  const token = deps.newLinkToken();
  const nowMs = now();
  const minutes = deps.readOption("PasswordResetMinutes");
  const sent = linkCode(deps, address, token);
  await store.saveCode({ ...sent, expiresAt: nowMs + minutes * minuteMs }, nowMs);
  const query = `email=${encodeURIComponent(address)}&token=${token}`;
  const values = {
    system: deps.readOption("SystemName"),
    link: `${deps.ownAddress()}/user/reset?${query}`,
    minutes: String(minutes),
  };
  await mail.send({ to: address, ...writeMail("reset", owner.language || asked, values) });
}

async function resetPassword(
  deps: PasswordResetDeps,
  running: RunningResets,
  { email, token }: { readonly email: string; readonly token: string },
  { clientIp }: Caller,
): Promise<string> {
  const { store, limits, now } = deps;
  const tries = await countAttempt(limits, [[resetRule, addressBlock(clientIp)]], tooOften);
  const code = linkCode(deps, email, token);
  const refused = new Refusal("invalid-input", "重置链接非法或已过期");
  // The code is checked before the new password is hashed, because hashing is slow and everybody
  // can call this endpoint.
  if (!(await store.isCode(code, now()))) throw refused;
  // A link works once. If it is sent twice at the same time, the second request waits here, so that
  // the server does not hash twice.
  const first = running.get(code.lookup);
  if (first !== undefined) {
    await first;
    throw refused;
  }
  const run = async (): Promise<string> => {
    const password = deps.newPassword();
    const passwordHash = await deps.passwords.hash(password);
    if (await store.resetPassword({ code, passwordHash, clientIp, nowMs: now() })) return password;
    throw refused;
  };
  const reset = run();
  running.set(code.lookup, reset);
  try {
    const password = await reset;
    await tries.giveBack();
    return password;
  } finally {
    running.delete(code.lookup);
  }
}
