/** Configuration as code: files say what an installation has, see `docs/operate/automation.md`. */

import type { ConfigurationPlan } from "@tollgate/contract/endpoints/configuration.ts";
import { systemActor } from "#modules/audit/audit.ts";
import { defineModule, type Given } from "#modules/module.ts";
import type { Installation } from "#modules/installation/installation.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import { type ConfigurationRequest, applyDocument, planDocument } from "./apply.ts";
import type {
  By,
  ConfiguredChannels,
  ConfiguredKeys,
  ConfiguredOptions,
  ConfiguredPrices,
  ConfiguredUsers,
} from "./configuration.ts";
import { configurationHandlers } from "./configuration.handlers.ts";
import type { ConfigurationStore } from "./configuration.store.ts";
import { exportDocument } from "./export.ts";

type Needs = {
  readonly channels: { readonly configured: ConfiguredChannels };
  readonly installation: Installation;
  readonly options: { readonly configured: ConfiguredOptions };
  readonly pricing: { readonly configured: ConfiguredPrices };
  readonly secondFactor: SecondFactor;
  readonly tokens: { readonly configured: ConfiguredKeys };
  readonly users: { readonly configured: ConfiguredUsers };
};

export const configurationModule = defineModule({
  needs: ["channels", "installation", "options", "pricing", "secondFactor", "tokens", "users"],
  open({ store, together, applyChanges, clock, needs }: Given<ConfigurationStore, Needs>) {
    const { installation, secondFactor } = needs;
    const deps = {
      store,
      together,
      applyChanges,
      installation,
      channels: needs.channels.configured,
      keys: needs.tokens.configured,
      options: needs.options.configured,
      prices: needs.pricing.configured,
      users: needs.users.configured,
    };
    // Whoever may write the data folder may do anything.
    const by = (): By => ({
      actor: systemActor,
      nowMs: clock.now(),
      hasSecondFactor: async () => true,
    });
    return {
      handlers: configurationHandlers({ ...deps, secondFactor, now: clock.now }),
      /** For the command line, which works on a data folder. */
      face: {
        async plan(asked: ConfigurationRequest): Promise<ConfigurationPlan> {
          const { changes, faults } = await planDocument(deps, asked, by());
          return { changes: [...changes], faults: [...faults] };
        },
        apply: async (
          asked: ConfigurationRequest & { readonly source: string },
        ): Promise<ConfigurationPlan> => await applyDocument(deps, asked, by(), async () => {}),
        export: async () => await exportDocument(deps),
      },
    };
  },
});
