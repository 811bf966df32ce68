/** Users as a document of configuration names them: they are created, and then their own. */

import type { Random } from "#base/random.ts";
import { gatherWrites } from "#db/store.ts";
import { newAffCodes } from "#modules/affiliates/affiliates.ts";
import type { ConfiguredUsers, PlannedCall } from "#modules/configuration/configuration.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import type { Passwords } from "#modules/passwords/passwords.ts";
import type { UserStore } from "./users.store.ts";

type UserDeps = {
  readonly store: UserStore;
  readonly passwords: Passwords;
  readonly money: Money;
  readonly random: Random;
};

export function openConfiguredUsers({
  store,
  passwords,
  money,
  random,
}: UserDeps): ConfiguredUsers {
  return {
    /** Finds a user by name; undefined: there is none, or it is deleted. */
    find: store.findByName,

    /**
     * Makes the write that creates a user, as an admin creates one.
     *
     * @throws Refusal for a password that everybody tries first.
     */
    async plan(account, { actor, nowMs }) {
      const { username, displayName, password, quota, group } = account;
      const calls: PlannedCall[] = [];
      await gatherWrites("users", store, ["createUser"], calls).createUser(actor, {
        username,
        display_name: displayName || username,
        // The user's language is not known before the first sign-in.
        language: "",
        password_hash: await passwords.hashChosen(password),
        // Somebody else knows it, so its owner chooses another one at the first sign-in.
        password_expired: 1,
        role: account.role,
        group,
        affCodes: newAffCodes(random),
        quota,
        cause: "gift:{id}",
        logText: `新用户注册赠送 ${quota}`,
        nowMs,
      });
      const done = (id: unknown): void => money.openedUser(Number(id), quota);
      return calls.map((call) => ({ ...call, done }));
    },
  };
}
