/** The console API of registration. */

import { mailAddress } from "@tollgate/contract/endpoints/mail.ts";
import * as contract from "@tollgate/contract/endpoints/registration.ts";
import { role, type ShortUser, userStatus } from "@tollgate/contract/endpoints/users.ts";
import { countAttempt } from "#base/attempts.ts";
import { addressBlock } from "#base/ip-ranges.ts";
import type { Logger } from "#base/logger.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import { type Caller, type Handler, handle, type Reply, reply } from "#http/handler.ts";
import { checkMailAddress, type SentCode, sentCode } from "#modules/identities/identities.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import { type NewAccounts, registerRule } from "#modules/new-accounts/new-accounts.ts";
import type { Options } from "#modules/options/options.ts";
import type { Passwords } from "#modules/passwords/passwords.ts";
import { type Sessions, signedIn } from "#modules/sessions/sessions.ts";
import type { BotCheck } from "#modules/sign-in/sign-in.ts";
import type { RegistrationStore } from "./registration.store.ts";

type RegistrationDeps = {
  readonly store: RegistrationStore;
  readonly readOption: Options["read"];
  readonly accounts: NewAccounts;
  readonly checkBot: BotCheck;
  readonly passwords: Passwords;
  readonly sessions: Pick<Sessions, "start">;
  readonly money: Money;
  readonly secrets: Secrets;
  readonly limits: RateLimits;
  /** Resolves when the written changes are in effect on this node. */
  readonly applyChanges: () => Promise<void>;
  readonly log: Logger;
};

/** The largest number of attempts to register from one IP address, whether they succeed or fail. */
const triesRule: RateRule = { name: "register-tries", windowMs: 20 * 60_000, max: 20, exact: true };

const tooOften = "操作过于频繁，请稍后再试";

export function registrationHandlers(deps: RegistrationDeps): Handler[] {
  return [
    handle(contract.register, async (input, caller) => {
      const user = await register(deps, input, caller);
      return await enter(deps, user, caller);
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

async function register(deps: RegistrationDeps, input: Form, caller: Caller): Promise<NewAccount> {
  const { readOption, limits } = deps;
  const { clientIp } = caller;
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
  let created: NewAccount;
  try {
    created = await createAccount(deps, { ...input, username, password }, { caller, code });
  } catch (error) {
    await counted.giveBack();
    throw error;
  }
  await deps.applyChanges();
  return created;
}

/** A user's fields as a sign-in answers with them. */
type NewAccount = Omit<ShortUser, "password_expired">;

/** @throws Refusal `invalid-input` for a wrong code; `already-exists` for a taken name or address. */
async function createAccount(
  deps: RegistrationDeps,
  form: Form & { readonly username: string; readonly password: string },
  sent: { readonly caller: Caller; readonly code: SentCode | null },
): Promise<NewAccount> {
  const { clientIp, language } = sent.caller;
  const birth = deps.accounts.birthOf({
    username: form.username,
    displayName: form.username,
    passwordHash: await deps.passwords.hashChosen(form.password),
    role: role.enum.user,
    language,
  });
  const registered = await deps.store.register({
    birth,
    code: sent.code,
    affCode: form.aff_code,
    gifts: deps.accounts.gifts(),
    clientIp,
  });
  if (registered === undefined) throw new Refusal("invalid-input", "验证码错误或已过期");
  deps.money.openedUser(registered.id, registered.quota);
  const { username, display_name, group } = birth;
  return {
    id: registered.id,
    username,
    display_name,
    group,
    role: role.enum.user,
    status: userStatus.enum.enabled,
  };
}

/**
 * Signs a new user in. The account exists already, so nothing that fails here is a refusal: the
 * answer without data sends the user to the sign-in screen.
 */
async function enter(
  { sessions, readOption, log }: RegistrationDeps,
  user: NewAccount,
  caller: Caller,
): Promise<NewAccount | undefined | Reply<NewAccount, undefined>> {
  if (!readOption("PasswordLoginEnabled")) return undefined;
  try {
    return reply(user, { setCookie: await sessions.start(user, caller, signedIn) });
  } catch (error) {
    log.warn({ err: error, requestId: caller.requestId }, "a new user was not signed in");
    return undefined;
  }
}

/**
 * Reads the e-mailed code from a registration form.
 * @throws Refusal `invalid-input` or `not-allowed`.
 */
function readCode(deps: RegistrationDeps, { email, verification_code }: Form): SentCode {
  if (email === "" || verification_code === "") {
    throw new Refusal("invalid-input", "管理员开启了邮箱验证，请输入邮箱地址和验证码");
  }
  const address = mailAddress.safeParse(email);
  if (!address.success) throw new Refusal("invalid-input", "无效的邮箱地址", { field: "email" });
  checkMailAddress(address.data, deps.readOption);
  const place = { purpose: "register", address: address.data } as const;
  return sentCode(deps.secrets, place, verification_code);
}
