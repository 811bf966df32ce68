/** Organisations: several users who share a balance, with projects, roles and invitations. */

import type { Mail } from "#modules/mail/mail.ts";
import { defineModule, type Given } from "#modules/module.ts";
import type { PlanKey } from "#modules/tokens/tokens.ts";
import { organisationHandlers } from "./organisations.handlers.ts";
import type { OrganisationStore } from "./organisations.store.ts";
import { peopleHandlers } from "./people.handlers.ts";
import { projectHandlers } from "./projects.handlers.ts";
import { openScopes } from "./scope.ts";

type Needs = { readonly mail: Mail; readonly tokens: { readonly planKey: PlanKey } };

export const organisationsModule = defineModule({
  needs: ["mail", "tokens"],
  open(ports: Given<OrganisationStore, Needs>) {
    const { store, options, snapshot, clock, program, needs } = ports;
    const deps = {
      ...ports,
      mail: needs.mail,
      planKey: needs.tokens.planKey,
      readOption: options.read,
      listGroups: () => Object.keys(snapshot.prices.list.GroupRatio),
      ownAddress: () => options.read("ServerAddress") || program.localAddress(),
      now: clock.now,
    };
    return {
      handlers: [...organisationHandlers(deps), ...peopleHandlers(deps), ...projectHandlers(deps)],
      face: openScopes(store, snapshot),
    };
  },
});
