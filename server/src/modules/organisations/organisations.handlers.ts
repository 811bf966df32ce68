/** The console API of organisations: what one is, its money, and what root does with it. */

import * as contract from "@tollgate/contract/endpoints/organisations.ts";
import { readPageWindow } from "@tollgate/contract/endpoints/page.ts";
import { daySeconds, hourSeconds } from "@tollgate/contract/fields/time-zone.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { unixSeconds } from "#base/clock.ts";
import type { Random } from "#base/random.ts";
import { Refusal } from "#base/refusal.ts";
import { type Caller, type Handler, handle } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import type { By } from "./enter.ts";
import type { OrganisationStore } from "./organisations.store.ts";

type OrganisationDeps = {
  readonly store: OrganisationStore;
  readonly money: Money;
  readonly random: Random;
  /** Names of the groups that exist. */
  readonly listGroups: () => readonly string[];
  /** Resolves when the written changes are in effect on this node. */
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

export function byOf(caller: Caller, nowMs: number): By {
  const isRoot = caller.role === role.enum.root;
  return { actor: actorOf(caller), isRoot, requestId: caller.requestId, nowMs };
}

/** Length of the code with which an account could invite: long, because an organisation's never does. */
const codeLength = 24;

export function organisationHandlers(deps: OrganisationDeps): Handler[] {
  return [...ownHandlers(deps), ...moneyHandlers(deps), ...rootHandlers(deps)];
}

function ownHandlers({ store, now, applyChanges }: OrganisationDeps): Handler[] {
  return [
    handle(contract.listOwnOrganisations, (_, { userId }) => store.listOwn(userId)),

    handle(contract.readOrganisation, ({ id }, caller) => store.readOwn(id, byOf(caller, now()))),

    handle(contract.renameOrganisation, async ({ id, name }, caller) => {
      await store.renameOrganisation(id, name, byOf(caller, now()));
    }),

    handle(contract.closeOrganisation, async ({ id, handle: typed }, caller) => {
      await store.closeOrganisation(id, typed, byOf(caller, now()));
      await applyChanges();
    }),

    handle(contract.readOrganisationUse, ({ id, ...asked }, caller) => {
      const at = unixSeconds(now());
      const end = Math.min(asked.end_timestamp ?? at, at);
      const oldest = end - contract.organisationDaysMax * daySeconds;
      const start = Math.max(oldest, asked.start_timestamp ?? end - 30 * daySeconds, 0);
      const window = {
        start: start - (start % hourSeconds),
        end: Math.ceil((end + 1) / hourSeconds) * hourSeconds,
      };
      return store.readUse(id, window, byOf(caller, now()));
    }),
  ];
}

function moneyHandlers({ store, money, now }: OrganisationDeps): Handler[] {
  return [
    handle(contract.transferQuota, async ({ id, direction, amount }, caller) => {
      const by = byOf(caller, now());
      // Nobody without the right may keep quota from running calls, not even for a moment.
      await store.checkBilling(id, by);
      const [from, to] = direction === "in" ? [caller.userId, id] : [id, caller.userId];
      await money.moveUser(from, 0 - amount, async () => {
        await money.creditUser(to, () => store.transfer({ id, direction, amount }, by));
      });
    }),

    handle(contract.adjustOrganisation, async ({ id, amount, reason }, caller) => {
      if (amount === 0) throw new Refusal("invalid-input", "额度不能为 0", { field: "amount" });
      const by = byOf(caller, now());
      await store.readOwn(id, by);
      const adjust = () => store.adjustOrganisation(id, { amount, reason }, by);
      await money.moveUser(id, amount, adjust);
    }),
  ];
}

function rootHandlers(deps: OrganisationDeps): Handler[] {
  const { store, money, random, listGroups, now, applyChanges } = deps;
  const refuseUnknown = (group: string | undefined): void => {
    if (group === undefined || listGroups().includes(group)) return;
    throw new Refusal("invalid-input", `分组不存在：${group}`, { field: "group" });
  };
  return [
    handle(contract.listOrganisations, async ({ keyword, ...input }) => {
      const window = readPageWindow(input);
      return { ...window, ...(await store.pageOrganisations(keyword, window)) };
    }),

    handle(contract.createOrganisation, async (input, caller) => {
      const { name, handle: account, owner, group, project } = input;
      refuseUnknown(group);
      const birth = {
        // No user's name has an `@`.
        username: `@${account}`,
        display_name: name,
        language: "",
        // The hash of no password, so nobody signs in with one.
        password_hash: "",
        role: role.enum.user,
        group,
        affCodes: [random.text(codeLength)],
        quota: 0,
        cause: "gift:{id}",
        logText: "",
        nowMs: now(),
      };
      const made = await store.createOrganisation(
        { name, birth, owner, project },
        byOf(caller, now()),
      );
      money.openedUser(made.id, 0);
      await applyChanges();
      return made;
    }),

    handle(contract.updateOrganisation, async ({ id, group, state }, caller) => {
      refuseUnknown(group);
      const isOpen = state === undefined ? undefined : state === "open";
      await store.updateOrganisation(id, { group, isOpen }, byOf(caller, now()));
      await applyChanges();
    }),
  ];
}
