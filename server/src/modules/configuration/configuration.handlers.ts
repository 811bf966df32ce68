import * as contract from "@tollgate/contract/endpoints/configuration.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { type Caller, type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { SecondFactor } from "#modules/second-factor/second-factor.ts";
import { type ApplyDeps, applyDocument, planDocument } from "./apply.ts";
import type { By, Planned } from "./configuration.ts";
import { exportDocument, listOwnedThings } from "./export.ts";

type ConfigurationDeps = ApplyDeps & {
  readonly secondFactor: SecondFactor;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Handles the requests of the console API for configuration as code. */
export function configurationHandlers(deps: ConfigurationDeps): Handler[] {
  const { secondFactor, now } = deps;
  const byOf = (caller: Caller): By => ({
    actor: actorOf(caller),
    nowMs: now(),
    hasSecondFactor: async () => await secondFactor.isSetUp(caller.userId),
  });
  return [
    handle(contract.planConfiguration, async (asked, caller) => {
      const { changes, faults } = await planDocument(deps, asked, byOf(caller));
      return { changes: [...changes], faults: [...faults] };
    }),

    handle(contract.applyConfiguration, async (asked, caller) => {
      const allow = async ({ changes }: Planned): Promise<void> => {
        const isSensitive = changes.some(
          ({ kind, name }) => kind === "option" && deps.options.isSensitive(name),
        );
        if (isSensitive) await secondFactor.requireStepUp(caller);
      };
      return await applyDocument(deps, asked, byOf(caller), allow);
    }),

    handle(contract.exportConfiguration, async () => await exportDocument(deps)),

    handle(contract.listOwned, async (_, caller) => {
      const only = caller.role === role.enum.root ? null : "channel";
      return await listOwnedThings(deps, deps.store, only);
    }),
  ];
}
