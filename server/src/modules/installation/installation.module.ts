/** Set-up, fingerprint of the secret key, and the public status that consoles read first. */

import { hashText } from "#base/secrets.ts";
import type { DemoCalls } from "#modules/demo-calls/demo-calls.ts";
import { defineModule, type Given } from "#modules/module.ts";
import type { SaveFlags } from "#modules/options/options.ts";
import type { Passwords } from "#modules/passwords/passwords.ts";
import { chatOrigins } from "./chat-origins.ts";
import { installationHandlers } from "./installation.handlers.ts";
import type { InstallationStore } from "./installation.store.ts";
import { createRoot, type Installation, planRoot } from "./installation.ts";

/** Length of the set-up link's secret in characters: 256 random bits. */
const setupTokenLength = 43;

type Needs = {
  readonly demoCalls: DemoCalls;
  readonly options: { readonly saveFlags: SaveFlags };
  readonly passwords: Passwords;
};

export const installationModule = defineModule({
  needs: ["demoCalls", "options", "passwords"],
  open(ports: Given<InstallationStore, Needs>) {
    const { store, money, random, applyChanges, options, snapshot, clock, program, needs } = ports;
    const { passwords } = needs;
    const root = { store, passwords, money, random, applyChanges, now: clock.now };
    const local = { userId: 0, username: "", clientIp: "" };
    const face: Installation = {
      async makeSetupToken() {
        const token = random.text(setupTokenLength);
        await store.addSetupLink(hashText(token));
        return token;
      },
      isSetUp: store.isSetUp,
      createRoot: async (account) => await createRoot(root, account, local),
      planRoot: async (account, actor) => await planRoot(root, account, actor),
    };
    return {
      handlers: installationHandlers({
        ...root,
        ...program,
        readOption: options.read,
        saveFlags: needs.options.saveFlags,
        quotaPerUnit: () => snapshot.prices.list.QuotaPerUnit,
        demoCallsEnabled: () => needs.demoCalls.account() !== null,
        demoTourEnabled: needs.demoCalls.hasTours,
        startedAtMs: clock.now(),
      }),
      pageSources: () => ({
        scripts: [],
        frames: chatOrigins(options.read),
        images: [],
        popups: false,
      }),
      face,
    };
  },
});
