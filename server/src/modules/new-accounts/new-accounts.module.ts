/** What a new account begins with, for registration and for OAuth identities that have no account. */

import { defineModule, type Given } from "#modules/module.ts";
import { openNewAccounts } from "./new-accounts.ts";

export const newAccountsModule = defineModule({
  needs: [],
  open: ({ options, random, clock }: Given) => ({
    face: openNewAccounts({ readOption: options.read, random, now: clock.now }),
  }),
});
