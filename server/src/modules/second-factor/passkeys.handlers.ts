/** The console API of passkeys. */

import * as contract from "@tollgate/contract/endpoints/second-factor.ts";
import type { ShortUser } from "@tollgate/contract/endpoints/users.ts";
import { addressBlock } from "#base/ip-ranges.ts";
import type { RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import { type Caller, type Handler, handle, reply } from "#http/handler.ts";
import {
  askForNew,
  askForProof,
  readRelyingParty,
  type Shown,
  verifyNew,
  verifyProof,
  wrongPasskey,
} from "./passkeys.ts";
import {
  byOf,
  findTicket,
  openTicket,
  proveOwner,
  readSigner,
  type SecondFactorDeps,
  ticketKey,
} from "./proofs.ts";
import { newRecoveryCodes, refuseWithoutSession, stepUp } from "./second-factor.handlers.ts";
import { type Ticket, type TicketPurpose } from "./second-factor.repo.ts";
import { ticketGone } from "./second-factor.ts";

/**
 * The largest number of passkey sign-ins that can be begun from one IP address. Each stores a row
 * for several minutes.
 */
const beginRule: RateRule = { name: "passkey-begin", windowMs: 15 * 60_000, max: 30, exact: true };

export function passkeyHandlers(deps: SecondFactorDeps): Handler[] {
  return [...ownHandlers(deps), ...stepUpHandlers(deps), ...loginHandlers(deps)];
}

async function takeTicket(
  { store, now }: SecondFactorDeps,
  token: string,
  purpose: TicketPurpose,
): Promise<Ticket> {
  const ticket = await store.takeTicket(ticketKey(token, purpose, now()));
  if (ticket === undefined) throw ticketGone();
  return ticket;
}

function ownHandlers(deps: SecondFactorDeps): Handler[] {
  const { store, systemName, serverAddress, now } = deps;
  return [
    handle(contract.beginPasskey, async ({ password }, caller) => {
      const party = readRelyingParty(serverAddress());
      const factors = await store.readFactors(caller.userId);
      await proveOwner(deps, factors, caller, password ?? "");
      const owner = await readSigner(deps, caller.userId);
      const options = await askForNew(party, systemName(), owner, factors.passkeys);
      const { challenge } = options;
      const userId = caller.userId;
      const ticket = await openTicket(deps, { purpose: "register", userId, challenge });
      return { ticket, options: { ...options } };
    }),

    handle(contract.finishPasskey, async ({ ticket, name, credential }, caller) => {
      const { userId, username } = caller;
      const { challenge, user_id } = await takeTicket(deps, ticket, "register");
      if (user_id !== userId) throw ticketGone();
      const made = await verifyNew(readRelyingParty(serverAddress()), challenge, credential);
      const nowMs = now();
      const times = { created_at: nowMs, used_at: 0 };
      const row = { ...made, ...times, user_id: userId, name: name ?? "" };
      const codes = newRecoveryCodes(deps, userId);
      const by = byOf(caller, { id: userId, username }, nowMs);
      const isFirst = await store.addPasskey(row, codes.lookups, caller.sessionId, by);
      return { recovery_codes: isFirst ? codes.shown : [] };
    }),

    handle(contract.renamePasskey, async ({ id, name = "" }, { userId }) => {
      await store.renamePasskey(userId, id, name);
    }),

    handle(contract.removePasskey, async ({ id }, caller) => {
      const { userId, username } = caller;
      await store.removePasskey(id, byOf(caller, { id: userId, username }, now()));
    }),
  ];
}

function stepUpHandlers(deps: SecondFactorDeps): Handler[] {
  const { store, serverAddress } = deps;
  return [
    handle(contract.beginPasskeyStepUp, async (_, caller) => {
      refuseWithoutSession(caller);
      const { passkeys } = await store.readFactors(caller.userId);
      if (passkeys.length === 0) throw new Refusal("not-found", "尚未添加通行密钥");
      return await begin(deps, "step-up", caller.userId, caller);
    }),

    handle(contract.finishPasskeyStepUp, async ({ ticket, credential }, caller) => {
      refuseWithoutSession(caller);
      const taken = await takeTicket(deps, ticket, "step-up");
      if (taken.user_id !== caller.userId) throw ticketGone();
      await prove(deps, taken, credential, serverAddress());
      return reply(undefined, { setCookie: await stepUp(deps, caller) });
    }),
  ];
}

function loginHandlers(deps: SecondFactorDeps): Handler[] {
  const { sessions, serverAddress, now } = deps;
  return [
    handle(contract.beginPasskeyLogin, async ({ ticket }, caller) => {
      if (!ticket) return await begin(deps, "passkey-login", 0, caller);
      const login = await findTicket(deps, ticketKey(ticket, "login", now()));
      const givenPassword = login.by_given_password === 1;
      return await begin(deps, "passkey-login", login.user_id, caller, givenPassword);
    }),

    handle(contract.finishPasskeyLogin, async ({ ticket, credential }, caller) => {
      const taken = await takeTicket(deps, ticket, "passkey-login");
      const user = await prove(deps, taken, credential, serverAddress());
      return reply(user, {
        setCookie: await sessions.start(user, caller, "user.login", {
          secondFactor: true,
          givenPassword: taken.by_given_password === 1,
        }),
      });
    }),
  ];
}

/**
 * Asks the browser for a passkey, and opens a ticket for its answer.
 * @param userId 0 for any user who has a passkey.
 */
async function begin(
  deps: SecondFactorDeps,
  purpose: TicketPurpose,
  userId: number,
  { clientIp }: Caller,
  givenPassword = false,
) {
  const { allowed, retryAfterMs } = await deps.limits.take(beginRule, addressBlock(clientIp));
  if (!allowed) throw new Refusal("rate-limited", "尝试次数过多，请稍后再试", { retryAfterMs });
  const party = readRelyingParty(deps.serverAddress());
  const passkeys = userId === 0 ? [] : (await deps.store.readFactors(userId)).passkeys;
  const options = await askForProof(party, passkeys);
  const { challenge } = options;
  const ticket = await openTicket(deps, { purpose, userId, challenge, givenPassword });
  return { ticket, options: { ...options } };
}

/**
 * Verifies the browser's answer to a request for a passkey.
 * @returns the user who owns the passkey.
 * @throws Refusal if the passkey is unknown or the answer is invalid.
 */
async function prove(
  deps: SecondFactorDeps,
  { challenge, user_id }: Ticket,
  credential: Shown,
  serverAddress: string,
): Promise<ShortUser> {
  const { store, now } = deps;
  const passkey = await store.findPasskey(credential.id);
  if (passkey === undefined || (user_id !== 0 && passkey.user_id !== user_id)) {
    throw wrongPasskey();
  }
  const party = readRelyingParty(serverAddress);
  const counter = await verifyProof(party, challenge, passkey, credential);
  const user = await readSigner(deps, passkey.user_id);
  if (!(await store.spendPasskey(passkey, { counter, nowMs: now() }))) throw wrongPasskey();
  return user;
}
