/** Sign-in by password, its limits, and the bot check. */

import { defineModule, type Given } from "#modules/module.ts";
import type { Passwords } from "#modules/passwords/passwords.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import type { Sessions } from "#modules/sessions/sessions.ts";
import { botCheckPageSources, openBotCheck, probeBotCheck } from "./bot-check.ts";
import { openOutsideCalls } from "./outside-calls.ts";
import { signInHandlers } from "./sign-in.handlers.ts";
import type { SignInStore } from "./sign-in.store.ts";
import { openEnter, type SignIn } from "./sign-in.ts";

type Needs = {
  readonly passwords: Passwords;
  readonly secondFactor: SecondFactor;
  readonly sessions: Sessions;
};

export const signInModule = defineModule({
  needs: ["passwords", "secondFactor", "sessions"],
  open(ports: Given<SignInStore, Needs>) {
    const { options, network, clock, needs } = ports;
    const callOutside = openOutsideCalls(network.transport);
    const deps = { ...ports, readOption: options.read, callOutside, now: clock.now };
    const face: SignIn = {
      enter: openEnter(needs),
      checkBot: openBotCheck(deps),
      probeOption: async (trial) => await probeBotCheck(deps, trial),
      callOutside,
    };
    return {
      handlers: signInHandlers({ ...deps, ...face, ...needs }),
      pageSources: () => botCheckPageSources(options.read),
      face,
    };
  },
});
