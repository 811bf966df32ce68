/** Authenticator apps, passkeys, recovery codes, and the step-up. */

import { defineModule, type Given } from "#modules/module.ts";
import type { Passwords } from "#modules/passwords/passwords.ts";
import type { Sessions } from "#modules/sessions/sessions.ts";
import { passkeyHandlers } from "./passkeys.handlers.ts";
import { openSecondFactor } from "./proofs.ts";
import { secondFactorHandlers } from "./second-factor.handlers.ts";
import type { SecondFactorStore } from "./second-factor.store.ts";

/** Length of a ticket in characters: 256 random bits. */
const ticketLength = 43;

type Needs = { readonly passwords: Passwords; readonly sessions: Sessions };

export const secondFactorModule = defineModule({
  needs: ["passwords", "sessions"],
  open(ports: Given<SecondFactorStore, Needs>) {
    const { options, random, clock, needs } = ports;
    const newTicket = (): string => random.text(ticketLength);
    const deps = {
      ...ports,
      ...needs,
      newTicket,
      systemName: () => options.read("SystemName"),
      serverAddress: () => options.read("ServerAddress"),
      now: clock.now,
    };
    return {
      handlers: [...passkeyHandlers(deps), ...secondFactorHandlers(deps)],
      face: openSecondFactor(deps),
    };
  },
});
