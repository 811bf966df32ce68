/**
 * Sign-in by OAuth, OIDC, WeChat and Telegram, and binding these to accounts; e-mail addresses, the
 * codes that prove them, and what undoes their change.
 */

import { mailCodeLength } from "@tollgate/contract/endpoints/registration.ts";
import { joinPageSources } from "#http/security-headers.ts";
import type { Mail } from "#modules/mail/mail.ts";
import { defineModule, type Given } from "#modules/module.ts";
import type { NewAccounts } from "#modules/new-accounts/new-accounts.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import type { Sessions } from "#modules/sessions/sessions.ts";
import type { SignIn } from "#modules/sign-in/sign-in.ts";
import { identityHandlers } from "./identities.handlers.ts";
import type { IdentityStore } from "./identities.store.ts";
import { mailBindingHandlers } from "./mail-binding.handlers.ts";
import { mailCodeHandlers } from "./mail-codes.handlers.ts";
import { openAddressGuard } from "./mail-undo.ts";
import type { Method } from "./methods/method.ts";
import { methods } from "./methods/registry.ts";

/**
 * Lengths, in characters, of the browser id, the OAuth state and the secret of a link: 256, 131 and
 * 190 random bits, at 5.95 bits for each letter or digit.
 */
const browserIdLength = 43;
const stateLength = 22;
const linkTokenLength = 32;

const columns = Object.fromEntries(
  Object.entries<Method>(methods).map(([name, { column }]) => [name, column]),
);

type Needs = {
  readonly mail: Mail;
  readonly newAccounts: NewAccounts;
  readonly secondFactor: SecondFactor;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
};

export const identitiesModule = defineModule({
  needs: ["mail", "newAccounts", "secondFactor", "sessions", "signIn"],
  open(ports: Given<IdentityStore, Needs>) {
    const { options, random, program, clock, needs } = ports;
    const { newAccounts: accounts, sessions, signIn } = needs;
    const shared = {
      ...ports,
      readOption: options.read,
      ownAddress: () => options.read("ServerAddress") || program.localAddress(),
      now: clock.now,
    };
    const addressGuard = openAddressGuard({
      ...shared,
      ...needs,
      newLinkToken: () => random.text(linkTokenLength),
    });
    return {
      handlers: [
        ...identityHandlers({
          ...shared,
          addressGuard,
          sessions,
          accounts,
          enter: signIn.enter,
          callOutside: signIn.callOutside,
          newBrowserId: () => random.text(browserIdLength),
          newState: () => random.text(stateLength),
        }),
        ...mailBindingHandlers({ ...shared, addressGuard, columns }),
        ...mailCodeHandlers({
          ...shared,
          accounts,
          mail: needs.mail,
          checkBot: signIn.checkBot,
          newCode: () => random.digits(mailCodeLength),
        }),
      ],
      pageSources: () =>
        joinPageSources(
          Object.values<Method>(methods).flatMap(({ isOn, pageSources }) =>
            pageSources !== undefined && isOn(options.read) ? [pageSources(options.read)] : [],
          ),
        ),
    };
  },
});
