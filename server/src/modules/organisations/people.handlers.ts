/** The console API of who belongs to an organisation. */

import * as contract from "@tollgate/contract/endpoints/organisation-people.ts";
import { daySeconds } from "@tollgate/contract/fields/time-zone.ts";
import { unixSeconds } from "#base/clock.ts";
import type { Logger } from "#base/logger.ts";
import type { Random } from "#base/random.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import type { Secrets } from "#base/secrets.ts";
import { type Handler, handle } from "#http/handler.ts";
import { type Mail, writeMail } from "#modules/mail/mail.ts";
import type { Options } from "#modules/options/options.ts";
import { byOf } from "./organisations.handlers.ts";
import type { OrganisationStore } from "./organisations.store.ts";

type PeopleDeps = {
  readonly store: OrganisationStore;
  readonly secrets: Secrets;
  readonly random: Random;
  readonly limits: RateLimits;
  readonly mail: Mail;
  readonly log: Logger;
  readonly readOption: Options["read"];
  /** The address at which people reach the console. */
  readonly ownAddress: () => string;
  readonly applyChanges: () => Promise<void>;
  /** Unix milliseconds. */
  readonly now: () => number;
};

/** Length of the secret of an invitation in characters: 256 random bits. */
const secretLength = 43;

/** The kind of the keyed hash by which an invitation is looked up. */
const secretKind = "organisation-invitation";

const inviteRule: RateRule = { name: "organisation-invite", windowMs: 3_600_000, max: 60 };
/** The secret has far more bits than this lets anybody try; it keeps the database from being asked. */
const joinRule: RateRule = { name: "organisation-join", windowMs: 60_000, max: 20 };

export function peopleHandlers(deps: PeopleDeps): Handler[] {
  const { store, now, applyChanges } = deps;
  return [
    handle(contract.listMemberships, ({ id }, caller) =>
      store.listMemberships(id, byOf(caller, now())),
    ),

    handle(contract.changeMembership, async ({ id, user_id: userId, role }, caller) => {
      await store.changeMembership(id, { userId, role }, byOf(caller, now()));
      await applyChanges();
    }),

    handle(contract.endMembership, async ({ id, user_id }, caller) => {
      await store.endMembership(id, user_id, byOf(caller, now()));
      await applyChanges();
    }),

    handle(contract.transferOwnership, async ({ id, user_id }, caller) => {
      await store.transferOwnership(id, user_id, byOf(caller, now()));
    }),

    ...invitationHandlers(deps),
  ];
}

function invitationHandlers(deps: PeopleDeps): Handler[] {
  const { store, secrets, random, limits, now } = deps;
  const lookupOf = (secret: string): string => secrets.lookup(secretKind, secret);
  const take = async (rule: RateRule, userId: number): Promise<void> => {
    const { allowed, retryAfterMs } = await limits.take(rule, String(userId));
    if (allowed) return;
    throw new Refusal("rate-limited", "请求次数过多，请稍后再试！", { retryAfterMs });
  };
  return [
    handle(contract.listInvitations, ({ id }, caller) =>
      store.listInvitations(id, byOf(caller, now())),
    ),

    handle(contract.invite, async ({ id, role, days, email }, caller) => {
      await take(inviteRule, caller.userId);
      const secret = random.text(secretLength);
      const expiresAt = unixSeconds(now()) + days * daySeconds;
      const given = { lookup: lookupOf(secret), role, email, expiresAt };
      const made = await store.invite(id, given, byOf(caller, now()));
      if (email !== "") await sendInvitation(deps, { ...made, to: email, secret, days }, caller);
      return { id: made.id, secret, expires_at: expiresAt };
    }),

    handle(contract.withdrawInvitation, async ({ id, invitation }, caller) => {
      await store.withdrawInvitation(id, invitation, byOf(caller, now()));
    }),

    handle(contract.readInvitation, async ({ secret }, { userId }) => {
      await take(joinRule, userId);
      return await store.readInvitation(lookupOf(secret), now());
    }),

    handle(contract.acceptInvitation, async ({ secret }, caller) => {
      await take(joinRule, caller.userId);
      return await store.acceptInvitation(lookupOf(secret), byOf(caller, now()));
    }),
  ];
}

type Letter = {
  readonly organisation: string;
  readonly to: string;
  readonly secret: string;
  readonly days: number;
};

/** Sends an invitation. Its link can be passed on by hand as well, so a failure refuses nothing. */
async function sendInvitation(
  { mail, log, readOption, ownAddress }: PeopleDeps,
  { organisation, to, secret, days }: Letter,
  { username, language = "", requestId }: Sender,
): Promise<void> {
  if (!mail.isSetUp()) return;
  const values = {
    system: readOption("SystemName"),
    organisation,
    username,
    link: `${ownAddress()}/setting#invitation=${secret}`,
    days: String(days),
  };
  try {
    await mail.send({ to, ...writeMail("organisationInvitation", language, values) });
  } catch (error) {
    log.warn({ err: error, requestId }, "an invitation to an organisation was not sent");
  }
}

type Sender = {
  readonly username: string;
  readonly language?: string;
  readonly requestId: string;
};
