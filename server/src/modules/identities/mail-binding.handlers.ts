import { bindMail } from "@tollgate/contract/registration.ts";
import { countAttempt } from "#base/attempts.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import { type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import { checkMailAddress, sentCode } from "#modules/mail-codes/mail-codes.ts";
import type { Options } from "#modules/options/options.ts";
import type { IdentityStore } from "./identities.store.ts";

type MailBindingDeps = {
  readonly store: Pick<IdentityStore, "bindMail">;
  readonly readOption: Options["read"];
  readonly secrets: Secrets;
  readonly limits: RateLimits;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Wrong codes that a signed-in user may send. Each code also has its own limit. */
const bindRule: RateRule = { name: "bind-mail", windowMs: 15 * 60_000, max: 10 };

/** Binds an e-mail address to a signed-in user, who proves control of it by a code. */
export function mailBindingHandlers(deps: MailBindingDeps): Handler[] {
  const { store, secrets, limits, now } = deps;
  return [
    handle(bindMail, async ({ email, code }, caller) => {
      checkMailAddress(email, deps.readOption);
      const tries = await countAttempt(
        limits,
        [[bindRule, String(caller.userId)]],
        "操作过于频繁，请稍后再试",
      );
      const place = { purpose: `bind:${caller.userId}`, address: email } as const;
      const sent = sentCode(secrets, place, code);
      if (!(await store.bindMail({ actor: actorOf(caller), code: sent, nowMs: now() }))) {
        throw new Refusal("invalid-input", "验证码错误或已过期");
      }
      await tries.giveBack();
    }),
  ];
}
