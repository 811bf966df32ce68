import * as contract from "@tollgate/contract/endpoints/second-factor.ts";
import { unixSeconds } from "#base/clock.ts";
import { Refusal } from "#base/refusal.ts";
import { type Caller, type Handler, handle, reply } from "#http/handler.ts";
import {
  bareCode,
  isTotpCode,
  newRecoveryCode,
  newTotpSecret,
  recoveryLookup,
  stepOf,
  totpContext,
  totpUri,
} from "./codes.ts";
import { findRelyingParty } from "./passkeys.ts";
import {
  byOf,
  findTicket,
  proveByCode,
  proveOwner,
  readSigner,
  type SecondFactorDeps,
  ticketKey,
} from "./proofs.ts";
import { hasFactor } from "./second-factor.repo.ts";

export function secondFactorHandlers(deps: SecondFactorDeps): Handler[] {
  return [...totpHandlers(deps), ...codeHandlers(deps), ...stepHandlers(deps)];
}

function own(caller: Caller, nowMs: number) {
  return byOf(caller, { id: caller.userId, username: caller.username }, nowMs);
}

function totpHandlers(deps: SecondFactorDeps): Handler[] {
  const { store, secrets, systemName, now } = deps;
  return [
    handle(contract.setUpTotp, async ({ password }, caller) => {
      const { userId, username } = caller;
      const factors = await store.readFactors(userId);
      await proveOwner(deps, factors, caller, password ?? "");
      const secret = newTotpSecret();
      const sealed = secrets.seal(totpContext(userId), secret);
      const row = { user_id: userId, sealed, confirmed_at: 0, last_step: 0 };
      if (!(await store.saveSecret(row))) throw new Refusal("already-exists", "已启用验证器");
      return { secret, uri: totpUri(secret, systemName(), username) };
    }),

    handle(contract.enableTotp, async ({ code }, caller) => {
      const { userId } = caller;
      const { totp } = await store.readFactors(userId);
      if (totp === undefined || totp.confirmed_at > 0) {
        throw new Refusal("not-found", "请先设置验证器");
      }
      const nowMs = now();
      const secret = secrets.open(totpContext(userId), totp.sealed);
      const step = isTotpCode(code) ? stepOf(secret, bareCode(code), nowMs) : undefined;
      if (step === undefined) {
        throw new Refusal("not-allowed", "验证码错误或已被使用", { field: "code" });
      }
      const codes = newRecoveryCodes(deps, userId);
      const confirmed = { ...totp, confirmed_at: nowMs, last_step: step };
      const by = own(caller, nowMs);
      const isFirst = await store.confirmTotp(confirmed, codes.lookups, caller.sessionId, by);
      return { recovery_codes: isFirst ? codes.shown : [] };
    }),

    handle(contract.disableTotp, async (_, caller) => {
      await store.disableTotp(own(caller, now()));
    }),
  ];
}

/**
 * Makes ten recovery codes: in plain text to show to the user, and as keyed hashes for the
 * database.
 */
export function newRecoveryCodes({ secrets }: SecondFactorDeps, userId: number) {
  const shown = Array.from({ length: contract.recoveryCodeCount }, newRecoveryCode);
  return { shown, lookups: shown.map((code) => recoveryLookup(secrets, userId, code)) };
}

function codeHandlers(deps: SecondFactorDeps): Handler[] {
  const { store, serverAddress, now } = deps;
  return [
    handle(contract.readSecondFactors, async (_, { userId }) => {
      const factors = await store.readFactors(userId);
      const person = await store.findPerson(userId);
      return {
        asks_password: person !== undefined && person.password_hash !== "",
        enabled: hasFactor(factors),
        totp: factors.totp !== undefined && factors.totp.confirmed_at > 0,
        passkeys: factors.passkeys.map(({ id, name, created_at, used_at }) => {
          return { id, name, created_at: unixSeconds(created_at), used_at: unixSeconds(used_at) };
        }),
        recovery_codes_left: factors.recoveryCodes,
        passkeys_available: findRelyingParty(serverAddress()) !== undefined,
      };
    }),

    handle(contract.renewRecoveryCodes, async (_, caller) => {
      const codes = newRecoveryCodes(deps, caller.userId);
      await store.renewCodes(codes.lookups, own(caller, now()));
      return { recovery_codes: codes.shown };
    }),

    handle(contract.resetSecondFactor, async ({ id }, caller) => {
      await store.resetFactors(id, caller.role, own(caller, now()));
    }),
  ];
}

function stepHandlers(deps: SecondFactorDeps): Handler[] {
  const { sessions, now } = deps;
  return [
    handle(contract.loginByCode, async ({ ticket, code }, caller) => {
      const key = ticketKey(ticket, "login", now());
      const { by_given_password, user_id } = await findTicket(deps, key);
      const user = await readSigner(deps, user_id);
      await proveByCode(deps, code, key, byOf(caller, user, key.nowMs), caller);
      return reply(user, {
        setCookie: await sessions.start(user, caller, "user.login", {
          secondFactor: true,
          givenPassword: by_given_password === 1,
        }),
      });
    }),

    handle(contract.stepUp, async ({ code }, caller) => {
      refuseWithoutSession(caller);
      await proveByCode(deps, code, null, own(caller, now()), caller);
      return reply(undefined, { setCookie: await stepUp(deps, caller) });
    }),
  ];
}

/**
 * Refuses callers without a session. A proof of a second factor is stored in the session, and
 * callers with an access token have none.
 * @throws Refusal `not-allowed`.
 */
export function refuseWithoutSession({ sessionId }: Caller): void {
  if (sessionId === null) throw new Refusal("not-allowed", "请在控制台中完成两步验证");
}

/**
 * Continues the caller's session under a new id, as one in which a second factor was proven.
 * @returns the cookies of the session and the device.
 */
export async function stepUp(
  { sessions }: SecondFactorDeps,
  caller: Caller,
): Promise<readonly string[]> {
  const { userId: id, username, role } = caller;
  return await sessions.start({ id, username, role }, caller, "second-factor.step-up", {
    secondFactor: true,
  });
}
