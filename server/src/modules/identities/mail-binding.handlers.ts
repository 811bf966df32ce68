import * as contract from "@tollgate/contract/endpoints/registration.ts";
import { countAttempt } from "#base/attempts.ts";
import { addressBlock } from "#base/ip-ranges.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import { type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { Options } from "#modules/options/options.ts";
import type { IdentityStore } from "./identities.store.ts";
import { checkMailAddress, sentCode } from "./mail-codes.ts";
import { type AddressGuard, undoPlace } from "./mail-undo.ts";
import type { IdentityColumn } from "./methods/method.ts";

type MailBindingDeps = {
  readonly store: Pick<IdentityStore, "bindMail" | "undoMailChange">;
  readonly addressGuard: AddressGuard;
  /** Sign-in method → the column of `users` that displays the user's identity of that method. */
  readonly columns: Readonly<Record<string, IdentityColumn>>;
  readonly readOption: Options["read"];
  readonly secrets: Secrets;
  readonly limits: RateLimits;
  /** Resolves once this node uses every configuration change that was written before the call. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Limit on the wrong codes that one signed-in user may send. Each code also has its own limit. */
const bindRule: RateRule = { name: "bind-mail", windowMs: 15 * 60_000, max: 10, exact: true };

/** Limit on the wrong links for undoing a change that may come from one client address. */
const undoRule: RateRule = { name: "undo-mail", windowMs: 20 * 60_000, max: 20, exact: true };

const tooOften = "操作过于频繁，请稍后再试";

/**
 * Handles the requests of the console API that bind an e-mail address to a signed-in user, who
 * proves control of it by a code, and that undo such a change by the link that was mailed to the
 * old address.
 */
export function mailBindingHandlers(deps: MailBindingDeps): Handler[] {
  const { store, addressGuard, secrets, limits, now } = deps;
  return [
    handle(contract.bindMail, async ({ email, code, password }, caller) => {
      checkMailAddress(email, deps.readOption);
      const undo = await addressGuard.prove(caller, password ?? "");
      const tries = await countAttempt(limits, [[bindRule, String(caller.userId)]], tooOften);
      const place = { purpose: `bind:${caller.userId}`, address: email } as const;
      const bound = await store.bindMail({
        actor: actorOf(caller),
        code: sentCode(secrets, place, code),
        undo: undo?.kept ?? null,
        nowMs: now(),
      });
      if (!bound) throw new Refusal("invalid-input", "验证码错误或已过期");
      await tries.giveBack();
      if (undo !== null) await addressGuard.tell(undo, caller);
    }),

    handle(contract.undoMailChange, async ({ user, email, token }, { clientIp }) => {
      const block = addressBlock(clientIp);
      const tries = await countAttempt(limits, [[undoRule, block]], tooOften);
      const undone = await store.undoMailChange({
        userId: user,
        code: sentCode(secrets, undoPlace(user, email), token),
        columns: deps.columns,
        clientIp,
        nowMs: now(),
      });
      if (!undone) throw new Refusal("invalid-input", "链接无效或已过期");
      await tries.giveBack();
      await deps.applyChanges();
    }),
  ];
}
