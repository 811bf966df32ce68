/** The console API of mail: a message that tries the settings. */

import * as contract from "@tollgate/contract/endpoints/mail.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import { type Handler, handle } from "#http/handler.ts";
import type { Options } from "#modules/options/options.ts";
import { type Mail, writeMail } from "./mail.ts";

type MailHandlerDeps = {
  readonly mail: Mail;
  readonly readOption: Options["read"];
  readonly limits: RateLimits;
};

const testRule: RateRule = { name: "test-mail", windowMs: 60_000, max: 5, exact: true };

export function mailHandlers({ mail, readOption, limits }: MailHandlerDeps): Handler[] {
  return [
    handle(contract.sendTestMail, async ({ email, lang }, { userId, language = "" }) => {
      const { allowed, retryAfterMs } = await limits.take(testRule, String(userId));
      if (!allowed) throw new Refusal("rate-limited", "操作过于频繁，请稍后再试", { retryAfterMs });
      const values = { system: readOption("SystemName") };
      await mail.send({ to: email, ...writeMail("test", language || lang, values) });
    }),
  ];
}
