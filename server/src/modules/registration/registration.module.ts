/** New accounts, and passwords that were forgotten. */

import type { Mail } from "#modules/mail/mail.ts";
import { defineModule, type Given } from "#modules/module.ts";
import type { NewAccounts } from "#modules/new-accounts/new-accounts.ts";
import type { Passwords } from "#modules/passwords/passwords.ts";
import type { Sessions } from "#modules/sessions/sessions.ts";
import type { SignIn } from "#modules/sign-in/sign-in.ts";
import { passwordResetHandlers } from "./password-reset.handlers.ts";
import { registrationHandlers } from "./registration.handlers.ts";
import type { RegistrationStore } from "./registration.store.ts";

/**
 * Length of the secret part of a reset link: letters and digits with 5.95 random bits each, 190
 * bits in total.
 */
const linkTokenLength = 32;
const passwordLength = 32;

type Needs = {
  readonly mail: Mail;
  readonly newAccounts: NewAccounts;
  readonly passwords: Passwords;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
};

export const registrationModule = defineModule({
  needs: ["mail", "newAccounts", "passwords", "sessions", "signIn"],
  open(ports: Given<RegistrationStore, Needs>) {
    const { options, random, program, clock, needs } = ports;
    const shared = {
      ...ports,
      mail: needs.mail,
      passwords: needs.passwords,
      sessions: needs.sessions,
      checkBot: needs.signIn.checkBot,
      readOption: options.read,
      now: clock.now,
    };
    return {
      handlers: [
        ...registrationHandlers({ ...shared, accounts: needs.newAccounts }),
        ...passwordResetHandlers({
          ...shared,
          ownAddress: () => options.read("ServerAddress") || program.localAddress(),
          newLinkToken: () => random.text(linkTokenLength),
          newPassword: () => random.text(passwordLength),
        }),
      ],
    };
  },
});
