/** Codes that prove a mailbox. */

import { mailCodeLength } from "@tollgate/contract/endpoints/registration.ts";
import type { Mail } from "#modules/mail/mail.ts";
import { defineModule, type Given } from "#modules/module.ts";
import type { NewAccounts } from "#modules/registration/registration.ts";
import type { SignIn } from "#modules/sign-in/sign-in.ts";
import { mailCodeHandlers } from "./mail-codes.handlers.ts";
import type { MailCodeStore } from "./mail-codes.store.ts";

type Needs = {
  readonly mail: Mail;
  readonly registration: NewAccounts;
  readonly signIn: SignIn;
};

export const mailCodesModule = defineModule({
  needs: ["mail", "registration", "signIn"],
  open: (ports: Given<MailCodeStore, Needs>) => ({
    handlers: mailCodeHandlers({
      ...ports,
      mail: ports.needs.mail,
      accounts: ports.needs.registration,
      checkBot: ports.needs.signIn.checkBot,
      readOption: ports.options.read,
      newCode: () => ports.random.digits(mailCodeLength),
      now: ports.clock.now,
    }),
  }),
});
