/** Sign-in by OAuth, OIDC, WeChat and Telegram, and binding these to accounts. */

import { joinPageSources } from "#http/security-headers.ts";
import type { Mail } from "#modules/mail/mail.ts";
import { defineModule, type Given } from "#modules/module.ts";
import type { NewAccounts } from "#modules/registration/registration.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import type { Sessions } from "#modules/sessions/sessions.ts";
import type { SignIn } from "#modules/sign-in/sign-in.ts";
import { identityHandlers } from "./identities.handlers.ts";
import type { IdentityStore } from "./identities.store.ts";
import { mailBindingHandlers } from "./mail-binding.handlers.ts";
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
  readonly registration: NewAccounts;
  readonly secondFactor: SecondFactor;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
};

export const identitiesModule = defineModule({
  needs: ["mail", "registration", "secondFactor", "sessions", "signIn"],
  open(ports: Given<IdentityStore, Needs>) {
    const { options, random, program, clock, needs } = ports;
    const { registration, sessions, signIn } = needs;
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
          accounts: registration,
          enter: signIn.enter,
          callOutside: signIn.callOutside,
          newBrowserId: () => random.text(browserIdLength),
          newState: () => random.text(stateLength),
        }),
        ...mailBindingHandlers({ ...shared, addressGuard, columns }),
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
