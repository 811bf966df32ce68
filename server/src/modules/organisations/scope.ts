/** Calls of the console API that one of an organisation's people makes for it. */

import {
  callsForOrganisations,
  type OrganisationRight,
} from "@tollgate/contract/endpoints/organisation-rights.ts";
import type { Endpoint } from "@tollgate/contract/endpoints/endpoint.ts";
import { role as userRole } from "@tollgate/contract/endpoints/users.ts";
import { Refusal } from "#base/refusal.ts";
import type { ConfigView } from "#modules/module.ts";
import { has, organisationNotFound } from "./enter.ts";
import type { Organisations } from "./organisations.ts";
import type { OrganisationStore } from "./organisations.store.ts";

/**
 * Answers such calls as those of the organisation's account: its keys, log and balance take the place
 * of the caller's own. The audit log names the caller.
 */
export function openScopes(
  store: Pick<OrganisationStore, "readScope">,
  snapshot: Pick<ConfigView, "readUser">,
): Organisations {
  return {
    async actFor(endpoint, caller, header) {
      const right = rightFor(endpoint);
      if (right === undefined || caller.userId === 0) {
        throw new Refusal("not-allowed", "此操作不能代表组织进行");
      }
      const id = /^[1-9]\d{0,15}$/.test(header) ? Number(header) : Number.NaN;
      if (!Number.isSafeInteger(id)) throw organisationNotFound();
      const { userId, username } = caller;
      const isRoot = caller.role === userRole.enum.root;
      const scope = await store.readScope(id, { userId, isRoot });
      if (!isRoot && !has(scope.role, right)) {
        throw new Refusal("not-allowed", "您在该组织中没有此权限");
      }
      if (!isRoot && !scope.isOpen && endpoint.method !== "GET") {
        throw new Refusal("not-allowed", "该组织已被停用");
      }
      // What the caller's group may use is read from the snapshot.
      await snapshot.readUser(id);
      const person = { userId, username };
      return { ...caller, userId: id, username: scope.username, role: userRole.enum.user, person };
    },
  };
}

function rightFor({ method, path, flag }: Endpoint): OrganisationRight | undefined {
  return flag === undefined ? callsForOrganisations[`${method} ${path}`] : undefined;
}
