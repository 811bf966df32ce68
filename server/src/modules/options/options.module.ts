/** Options in memory, and the rules for saving them. */

import { options as definitions } from "@tollgate/contract/options/options.ts";
import type { RemoteStore } from "#db/store.ts";
import { defineModule, type Given } from "#modules/module.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import type { SignIn } from "#modules/sign-in/sign-in.ts";
import { openConfiguredOptions } from "./configured-options.ts";
import { optionHandlers } from "./options.handlers.ts";
import type { optionStore } from "./options.store.ts";
import { relayOptions, type SaveFlags, setUpOptions, storedText } from "./options.ts";

type Needs = { readonly secondFactor: SecondFactor; readonly signIn: SignIn };

export const optionsModule = defineModule({
  needs: ["secondFactor", "signIn"],
  open(ports: Given<RemoteStore<typeof optionStore>, Needs>) {
    const { store, options, secrets, snapshot, applyChanges, clock, needs } = ports;
    const saveFlags: SaveFlags = async (flags, actor) => {
      for (const key of setUpOptions) {
        const flag = flags[key];
        if (flag === undefined) continue;
        const value = storedText(definitions[key], key, String(flag), secrets);
        await store.saveOption({ key, value, actor, nowMs: clock.now() });
      }
      await applyChanges();
    };
    return {
      handlers: optionHandlers({
        options,
        prices: () => snapshot.prices.list,
        store,
        secrets,
        probe: needs.signIn.probeOption,
        hasSecondFactor: needs.secondFactor.isSetUp,
        applyChanges,
        now: clock.now,
      }),
      snapshot: {
        async loadOptions() {
          options.refresh(await store.loadOptions());
          return relayOptions(options);
        },
      },
      face: {
        saveFlags,
        configured: openConfiguredOptions({ store, secrets, probe: needs.signIn.probeOption }),
      },
    };
  },
});
