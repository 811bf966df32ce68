/** The console API of codes that are sent to a mailbox. */

import { sendMailCode } from "@tollgate/contract/endpoints/registration.ts";
import { countAttempt } from "#base/attempts.ts";
import { addressBlock } from "#base/ip-ranges.ts";
import type { RateLimits } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import { type Handler, handle } from "#http/handler.ts";
import { type Mail, writeMail } from "#modules/mail/mail.ts";
import type { Options } from "#modules/options/options.ts";
import type { NewAccounts } from "#modules/new-accounts/new-accounts.ts";
import type { BotCheck } from "#modules/sign-in/sign-in.ts";
import type { IdentityStore } from "./identities.store.ts";
import {
  checkMailAddress,
  codeLastsMs,
  type CodePurpose,
  mailRules,
  sentCode,
} from "./mail-codes.ts";

type MailCodeDeps = {
  readonly store: Pick<IdentityStore, "isAddressTaken" | "saveCode">;
  readonly readOption: Options["read"];
  readonly accounts: Pick<NewAccounts, "refuseClosed">;
  readonly mail: Mail;
  readonly checkBot: BotCheck;
  readonly secrets: Secrets;
  readonly limits: RateLimits;
  /** Returns six random digits. */
  readonly newCode: () => string;
  /** Unix milliseconds. */
  readonly now: () => number;
};

export function mailCodeHandlers(deps: MailCodeDeps): Handler[] {
  return [
    handle(
      sendMailCode,
      async ({ email, turnstile, lang }, { userId, clientIp, language = "" }) => {
        // Only visitors have to pass the bot check, and they can only request a code to register.
        // Signed-in users passed it when they signed in.
        if (userId === 0) {
          deps.accounts.refuseClosed();
          await deps.checkBot(turnstile, clientIp);
        }
        checkMailAddress(email, deps.readOption);
        if (!deps.mail.isSetUp()) throw new Refusal("not-allowed", "管理员未配置邮件服务");
        const rules = mailRules(email, addressBlock(clientIp));
        await countAttempt(deps.limits, rules, "操作过于频繁，请稍后再试");
        await sendCode(deps, email, userId === 0 ? "register" : `bind:${userId}`, {
          language: userId === 0 ? lang || language : language || lang,
        });
      },
    ),
  ];
}

/**
 * Sends a code to an e-mail address. If the address belongs to a user already, sends an e-mail that
 * says so; the answer does not tell, so only the owner of the mailbox learns it.
 */
async function sendCode(
  deps: MailCodeDeps,
  address: string,
  purpose: CodePurpose,
  { language }: { readonly language: string },
): Promise<void> {
  const { store, mail, secrets, now } = deps;
  const system = deps.readOption("SystemName");
  if (await store.isAddressTaken(address)) {
    await mail.send({ to: address, ...writeMail("addressTaken", language, { system }) });
    return;
  }
  const code = deps.newCode();
  const nowMs = now();
  const sent = sentCode(secrets, { purpose, address }, code);
  await store.saveCode({ ...sent, expiresAt: nowMs + codeLastsMs }, nowMs);
  const values = { system, code, minutes: String(codeLastsMs / 60_000) };
  await mail.send({ to: address, ...writeMail("code", language, values) });
}
