import { joinPageSources } from "#http/security-headers.ts";
import { defineModule, type Given } from "#modules/module.ts";
import type { NewAccounts } from "#modules/registration/registration.ts";
import type { Sessions } from "#modules/sessions/sessions.ts";
import type { SignIn } from "#modules/sign-in/sign-in.ts";
import { identityHandlers } from "./identities.handlers.ts";
import type { IdentityStore } from "./identities.store.ts";
import { mailBindingHandlers } from "./mail-binding.handlers.ts";
import type { Method } from "./methods/method.ts";
import { methods } from "./methods/registry.ts";

/** Letters and digits with 5.95 random bits each: 256 and 131 bits. */
const browserIdLength = 43;
const stateLength = 22;

type Needs = {
  readonly registration: NewAccounts;
  readonly sessions: Sessions;
  readonly signIn: SignIn;
};

export const identitiesModule = defineModule({
  needs: ["registration", "sessions", "signIn"],
  open(ports: Given<IdentityStore, Needs>) {
    const { store, options, random, program, clock, needs } = ports;
    const { registration, sessions, signIn } = needs;
    const shared = {
      ...ports,
      readOption: options.read,
      ownAddress: () => options.read("ServerAddress") || program.localAddress,
      now: clock.now,
    };
    return {
      handlers: [
        ...identityHandlers({
          ...shared,
          sessions,
          accounts: registration,
          enter: signIn.enter,
          callOutside: signIn.callOutside,
          newBrowserId: () => random.text(browserIdLength),
          newState: () => random.text(stateLength),
        }),
        ...mailBindingHandlers({ ...shared, store }),
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
