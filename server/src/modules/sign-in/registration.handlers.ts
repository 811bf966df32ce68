import { mailAddress } from "@tollgate/contract/mail.ts";
import * as contract from "@tollgate/contract/registration.ts";
import { role } from "@tollgate/contract/users.ts";
import { addressBlock } from "#base/ip-ranges.ts";
import type { Logger } from "#base/logger.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import { type Caller, type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import { type Mail, writeLetter } from "#modules/mail/mail.ts";
import type { Options } from "#modules/options/options.ts";
import { countAttempt } from "#base/attempts.ts";
import type { BotCheck } from "./bot-check.ts";
import {
  codeLastsMs,
  type CodePurpose,
  codeText,
  linkLastsMs,
  mailCodeKind,
  type SentCode,
} from "./mail-codes.ts";
import { judgeAddress, letterRules } from "./mail-rules.ts";
import { type NewAccounts, registerRule } from "./new-accounts.ts";
import type { RegistrationStore } from "./registration.store.ts";
import type { Passwords } from "./sign-in.ts";

export type RegistrationDeps = {
  readonly store: RegistrationStore;
  readonly readOption: Options["read"];
  readonly accounts: NewAccounts;
  readonly mail: Mail;
  readonly checkBot: BotCheck;
  readonly passwords: Passwords;
  readonly money: Money;
  readonly secrets: Secrets;
  readonly limits: RateLimits;
  /** Six random digits. */
  readonly newCode: () => string;
  /** What makes a link: 190 random bits in letters and digits. */
  readonly newLinkToken: () => string;
  /** A password nobody can guess, of at least 20 letters and digits. */
  readonly newPassword: () => string;
  /** Where this server is reached, without a final slash. */
  readonly ownAddress: () => string;
  /** Resolves when this node serves calls by what was written. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly log: Logger;
};

const minuteMs = 60_000;

/** Tries to register or to use a link from one address, whatever came of them. */
const triesRule: RateRule = { name: "register-tries", windowMs: 20 * minuteMs, max: 20 };
const resetRule: RateRule = { name: "reset-tries", windowMs: 20 * minuteMs, max: 20 };

/** Wrong codes a user may send while signed in; each code has a limit of its own as well. */
const bindRule: RateRule = { name: "bind-mail", windowMs: 15 * minuteMs, max: 10 };

const tooOften = "操作过于频繁，请稍后再试";

const wrongCode = (): Refusal => new Refusal("invalid-input", "验证码错误或已过期");

export function registrationHandlers(deps: RegistrationDeps): Handler[] {
  const { store, limits, now } = deps;
  return [
    handle(contract.register, async (input, caller) => {
      await register(deps, input, caller);
    }),

    handle(contract.sendMailCode, async ({ email, turnstile, lang }, caller) => {
      // Whoever is signed in has passed the check; a visitor can only register with a code.
      if (caller.userId === 0) {
        deps.accounts.refuseClosed();
        await deps.checkBot(turnstile, caller.clientIp);
      }
      judgeAddress(email, deps.readOption);
      await allowLetter(deps, email, caller);
      await sendCode(deps, email, purposeOf(caller), lang);
    }),

    handle(contract.sendResetLink, async ({ email, turnstile, lang }, caller) => {
      await deps.checkBot(turnstile, caller.clientIp);
      await allowLetter(deps, email, caller);
      // After the answer: how long it takes would tell whether there was a letter to send.
      setImmediate(() => {
        sendLinkToOwner(deps, email, lang).catch((error: unknown) => {
          deps.log.warn({ err: error, requestId: caller.requestId }, "no reset link was sent");
        });
      });
    }),

    handle(
      contract.resetPassword,
      async (input, caller) => await resetPassword(deps, input, caller),
    ),

    handle(contract.bindMail, async ({ email, code }, caller) => {
      judgeAddress(email, deps.readOption);
      const tries = await countAttempt(limits, [[bindRule, String(caller.userId)]], tooOften);
      const sent = codeOf(deps, purposeOf(caller), email, code);
      if (!(await store.bindAddress({ actor: actorOf(caller), code: sent, nowMs: now() }))) {
        throw wrongCode();
      }
      await tries.giveBack();
    }),
  ];
}

type Form = {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly email: string;
  readonly verification_code: string;
  readonly aff_code: string;
  readonly turnstile: string;
};

async function register(deps: RegistrationDeps, input: Form, { clientIp }: Caller): Promise<void> {
  const { readOption, store, limits } = deps;
  deps.accounts.refuseClosed();
  if (!readOption("PasswordRegisterEnabled")) {
    throw new Refusal(
      "not-allowed",
      "管理员关闭了通过密码进行注册，请使用第三方账户验证的形式进行注册",
    );
  }
  const { username, password } = input;
  if (!username || password === undefined) {
    throw new Refusal("invalid-input", "用户名和密码不能为空！");
  }
  const client = addressBlock(clientIp);
  await countAttempt(limits, [[triesRule, client]], tooOften);
  await deps.checkBot(input.turnstile, clientIp);
  const code = readOption("EmailVerificationEnabled") ? readCode(deps, input) : null;
  const counted = await countAttempt(limits, [[registerRule, client]], tooOften);
  try {
    const registered = await store.register({
      birth: deps.accounts.birthOf({
        username,
        displayName: username,
        passwordHash: await deps.passwords.hashChosen(password),
        role: role.enum.user,
      }),
      code,
      affCode: input.aff_code,
      gifts: deps.accounts.gifts(),
      clientIp,
    });
    if (registered === undefined) throw wrongCode();
    deps.money.openedUser(registered.id, registered.quota);
  } catch (error) {
    await counted.giveBack();
    throw error;
  }
  await deps.applyChanges();
}

/** @throws Refusal `invalid-input` or `not-allowed`. */
function readCode(deps: RegistrationDeps, { email, verification_code }: Form): SentCode {
  if (email === "" || verification_code === "") {
    throw new Refusal("invalid-input", "管理员开启了邮箱验证，请输入邮箱地址和验证码");
  }
  const address = mailAddress.safeParse(email);
  if (!address.success) throw new Refusal("invalid-input", "无效的邮箱地址", { field: "email" });
  judgeAddress(address.data, deps.readOption);
  return codeOf(deps, "register", address.data, verification_code);
}

function codeOf(
  { secrets }: RegistrationDeps,
  purpose: CodePurpose,
  address: string,
  code: string,
): SentCode {
  const lookup = secrets.lookup(mailCodeKind, codeText(purpose, address, code));
  return { purpose, address, lookup };
}

/** Who is signed in binds an address, and nobody else can use the code. */
function purposeOf({ userId }: Caller): CodePurpose {
  return userId === 0 ? "register" : `bind:${userId}`;
}

/** @throws Refusal `not-allowed` where mail is not set up, `rate-limited`. */
async function allowLetter(
  { mail, limits }: RegistrationDeps,
  address: string,
  { clientIp }: Caller,
): Promise<void> {
  if (!mail.isSetUp()) throw new Refusal("not-allowed", "管理员未配置邮件服务");
  await countAttempt(limits, letterRules(address, addressBlock(clientIp)), tooOften);
}

/** To the owner of the mailbox alone it is told that the address is taken. */
async function sendCode(
  deps: RegistrationDeps,
  address: string,
  purpose: CodePurpose,
  language: string,
): Promise<void> {
  const { store, mail, now } = deps;
  const system = deps.readOption("SystemName");
  if (await store.isAddressTaken(address)) {
    await mail.send({ to: address, ...writeLetter("addressTaken", language, { system }) });
    return;
  }
  const code = deps.newCode();
  const nowMs = now();
  const sent = codeOf(deps, purpose, address, code);
  await store.saveCode({ ...sent, expiresAt: nowMs + codeLastsMs }, nowMs);
  const values = { system, code, minutes: String(codeLastsMs / minuteMs) };
  await mail.send({ to: address, ...writeLetter("code", language, values) });
}

/** Where the address is an account's. */
async function sendLinkToOwner(
  deps: RegistrationDeps,
  address: string,
  language: string,
): Promise<void> {
  const { store, mail, now } = deps;
  if ((await store.findResettable(address)) === undefined) return;
  const token = deps.newLinkToken();
  const nowMs = now();
  const sent = codeOf(deps, "reset", address, token);
  await store.saveCode({ ...sent, expiresAt: nowMs + linkLastsMs }, nowMs);
  const query = `email=${encodeURIComponent(address)}&token=${token}`;
  const values = {
    system: deps.readOption("SystemName"),
    link: `${deps.ownAddress()}/user/reset?${query}`,
    minutes: String(linkLastsMs / minuteMs),
  };
  await mail.send({ to: address, ...writeLetter("reset", language, values) });
}

async function resetPassword(
  deps: RegistrationDeps,
  { email, token }: { readonly email: string; readonly token: string },
  { clientIp }: Caller,
): Promise<string> {
  const { store, limits, now } = deps;
  const tries = await countAttempt(limits, [[resetRule, addressBlock(clientIp)]], tooOften);
  const code = codeOf(deps, "reset", email, token);
  const refused = new Refusal("invalid-input", "重置链接非法或已过期");
  // Asked first, because hashing is slow and anybody may call.
  if (!(await store.isCode(code, now()))) throw refused;
  const password = deps.newPassword();
  const passwordHash = await deps.passwords.hash(password);
  if (!(await store.resetPassword({ code, passwordHash, clientIp, nowMs: now() }))) throw refused;
  await tries.giveBack();
  return password;
}
