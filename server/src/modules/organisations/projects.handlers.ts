/** The console API of the projects of an organisation, and of the keys in them. */

import * as contract from "@tollgate/contract/endpoints/organisation-projects.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import { type Handler, handle } from "#http/handler.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import { type PlanKey, sealContext } from "#modules/tokens/tokens.ts";
import { byOf } from "./organisations.handlers.ts";
import type { OrganisationStore } from "./organisations.store.ts";

type ProjectDeps = {
  readonly store: OrganisationStore;
  readonly money: Money;
  readonly secrets: Secrets;
  readonly limits: RateLimits;
  readonly planKey: PlanKey;
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

const revealRule: RateRule = { name: "organisation-key-reveal", windowMs: 60_000, max: 60 };

export function projectHandlers(deps: ProjectDeps): Handler[] {
  const { store, now, applyChanges } = deps;
  return [
    handle(contract.listProjects, ({ id }, caller) => store.listProjects(id, byOf(caller, now()))),

    handle(contract.createProject, ({ id, name }, caller) =>
      store.createProject(id, name, byOf(caller, now())),
    ),

    handle(contract.updateProject, async ({ id, project, name, state }, caller) => {
      await store.updateProject(id, { project, name, state }, byOf(caller, now()));
      await applyChanges();
    }),

    ...keyHandlers(deps),
  ];
}

function keyHandlers(deps: ProjectDeps): Handler[] {
  const { store, money, secrets, limits, planKey, now, applyChanges } = deps;
  return [
    handle(contract.listOrganisationKeys, ({ id }, caller) =>
      store.listKeys(id, byOf(caller, now())),
    ),

    handle(contract.createOrganisationKey, async ({ id, project, service, ...input }, caller) => {
      const by = byOf(caller, now());
      await store.readOwn(id, by);
      const { key, token } = await planKey(input, id);
      const made = await store.createKey(id, { project, service, token }, by);
      money.openedToken(made.id, made.remain);
      await applyChanges();
      return { id: made.id, key };
    }),

    handle(contract.switchOrganisationKey, async ({ id, token, enabled }, caller) => {
      await store.switchKey(id, { token, enabled }, byOf(caller, now()));
      await applyChanges();
    }),

    handle(contract.revealOrganisationKey, async ({ id, token }, caller) => {
      const { allowed, retryAfterMs } = await limits.take(revealRule, String(caller.userId));
      if (!allowed) {
        throw new Refusal("rate-limited", "请求次数过多，请稍后再试！", { retryAfterMs });
      }
      const { sealed } = await store.revealKey(id, token, byOf(caller, now()));
      return { key: secrets.open(sealContext(id), sealed) };
    }),

    handle(contract.removeOrganisationKey, async ({ id, token }, caller) => {
      await store.removeKey(id, token, byOf(caller, now()));
      await applyChanges();
    }),
  ];
}
