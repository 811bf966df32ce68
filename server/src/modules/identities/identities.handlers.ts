/** The console API of OAuth identities: sign in by one, bind it, and release it. */

import { mailAddress } from "@tollgate/contract/endpoints/mail.ts";
import * as contract from "@tollgate/contract/endpoints/oauth.ts";
import { stateMismatchMessage } from "@tollgate/contract/words/state-mismatch.ts";
import type { SignInAnswer } from "@tollgate/contract/endpoints/sign-in-answer.ts";
import { role } from "@tollgate/contract/endpoints/users.ts";
import { addressBlock } from "#base/ip-ranges.ts";
import type { RateLimits, RateRule } from "#base/rate-limit.ts";
import { Refusal } from "#base/refusal.ts";
import { hashText } from "#base/secrets.ts";
import { browserCookie } from "#http/cookie.ts";
import { type Caller, type Handler, handle, type Reply, reply } from "#http/handler.ts";
import { actorOf } from "#modules/audit/audit.ts";
import type { Money } from "#modules/ledger/ledger.ts";
import { countAttempt } from "#base/attempts.ts";
import { mailMethod, refuseInactive } from "./identities.ts";
import type { IdentityStore, MethodPlace } from "./identities.store.ts";
import { checkMailAddress } from "./mail-codes.ts";
import type { AddressGuard } from "./mail-undo.ts";
import type { ExternalUser, Method, MethodPorts } from "./methods/method.ts";
import { displayNameOf, isUsername, shownNameOf, shownText } from "./provider-texts.ts";
import { isMethodName, methods } from "./methods/registry.ts";
import { signatureLastsMs } from "./methods/telegram.ts";
import { wrongCode } from "./methods/wechat.ts";
import { type NewAccounts, registerRule } from "#modules/new-accounts/new-accounts.ts";
import type { Sessions } from "#modules/sessions/sessions.ts";
import type { Enter } from "#modules/sign-in/sign-in.ts";

type IdentityDeps = MethodPorts & {
  readonly store: IdentityStore;
  readonly accounts: NewAccounts;
  readonly sessions: Sessions;
  readonly enter: Enter;
  readonly addressGuard: AddressGuard;
  readonly money: Money;
  readonly limits: RateLimits;
  /** Returns 256 random bits in letters and digits. */
  readonly newBrowserId: () => string;
  /** Returns at least 128 random bits in letters and digits. */
  readonly newState: () => string;
  /** Resolves once this node uses every configuration change that was written before the call. */
  readonly applyChanges: () => Promise<void>;
};

const minuteMs = 60_000;

/**
 * How long a browser without a session keeps the id that its OAuth states belong to. Longer than a
 * state is valid.
 */
const browserLastsMs = 24 * 60 * minuteMs;

/** Limits per client address: how many OAuth states are issued, and how many proofs may fail. */
const stateRule: RateRule = { name: "oauth-state", windowMs: 20 * minuteMs, max: 60, exact: true };
const triesRule: RateRule = { name: "oauth-tries", windowMs: 20 * minuteMs, max: 20, exact: true };

/** WeChat codes are short, so the guesses from all client addresses together are limited. */
const guessesRule: RateRule = {
  name: "oauth-guesses",
  windowMs: 20 * minuteMs,
  max: 300,
  exact: true,
};

const tooOften = "操作过于频繁，请稍后再试";

/**
 * The answer when a browser has returned from a provider: of a sign-in, or of the binding of an
 * identity to a signed-in user.
 */
type Finished = Reply<SignInAnswer | undefined, undefined>;

export function identityHandlers(deps: IdentityDeps): Handler[] {
  const { store, limits, now } = deps;
  return [
    handle(contract.createOauthState, async ({ aff, provider, password }, caller) => {
      // A state of a signed-in user binds an identity, so its owner proves to be there already now.
      if (caller.userId !== 0) await deps.addressGuard.proveOwner(caller, password ?? "");
      await countAttempt(limits, [[stateRule, addressBlock(caller.clientIp)]], tooOften);
      const state = deps.newState();
      const browserId = ownerOf(caller) === undefined ? deps.newBrowserId() : undefined;
      const owner = ownerOf(caller) ?? hashText(browserId ?? "");
      const kept = { id: hashText(state), method: provider, owner, userId: caller.userId };
      await store.saveState({ ...kept, affCode: aff }, now());
      const made = browserId && browserCookie.keep(browserId, browserLastsMs);
      return reply(state, made === undefined ? {} : { setCookie: made });
    }),

    handle(contract.finishOauth, async ({ type, ...brought }, caller) => {
      const { method, place } = findMethod(deps, type, "redirect");
      return await countTries(deps, caller, async () => {
        const { affCode } = await takeState(deps, place.method, brought.state, caller);
        if (brought.error !== "") {
          throw new Refusal(
            "outside-failed",
            shownText(brought.error_description || brought.error),
          );
        }
        if (brought.code === "") throw new Refusal("invalid-input", "无效的参数");
        const user = await method.identify({ ...brought, fields: {} }, deps);
        return await finish(deps, { method, place, user, affCode }, caller);
      });
    }),

    ...weChatHandlers(deps),
    ...telegramHandlers(deps),

    handle(contract.unbindIdentity, async ({ type, password }, caller) => {
      const isMail = type === mailMethod;
      const change = isMail ? await deps.addressGuard.prove(caller, password ?? "") : null;
      const undo = change?.kept ?? null;
      const unbinding = { ...placeOf(type), actor: actorOf(caller), undo, nowMs: now() };
      await store.unbindIdentity(unbinding);
      if (change !== null) await deps.addressGuard.tell(change, caller);
      if (caller.sessionId === null) return undefined;
      const user = { id: caller.userId, username: caller.username, role: caller.role };
      return reply(undefined, { setCookie: await deps.sessions.start(user, caller, null) });
    }),
  ];
}

/**
 * How long a used WeChat code is remembered, so that it is not accepted again. The operator's
 * WeChat server forgets its codes within minutes.
 */
const codeLastsMs = 60 * minuteMs;

function weChatHandlers(deps: IdentityDeps): Handler[] {
  const identify = async (code: string): Promise<Found> => {
    const { method, place } = findMethod(deps, "wechat", "code");
    if (code === "") throw new Refusal("invalid-input", "无效的参数");
    await countAttempt(deps.limits, [[guessesRule, ""]], tooOften);
    const user = await method.identify({ code, state: "", fields: {} }, deps);
    // The user's id is part of the proof, because a short code can be issued again, to another
    // person.
    const proof = hashText(`wechat|${user.subject}|${code.toLowerCase()}`);
    if (!(await deps.store.spendProof(proof, { nowMs: deps.now(), lastsMs: codeLastsMs }))) {
      throw wrongCode();
    }
    return { method, place, user, affCode: "" };
  };
  return [
    handle(
      contract.signInByWeChat,
      async ({ code }, caller) =>
        await countTries(
          deps,
          caller,
          async () => await signIn(deps, await identify(code), caller),
        ),
    ),

    handle(contract.bindWeChat, async ({ code, password }, caller) => {
      await deps.addressGuard.proveOwner(caller, password ?? "");
      await countTries(deps, caller, async () => await bind(deps, await identify(code), caller));
    }),
  ];
}

type Widget = Readonly<Record<string, string>> & { readonly hash: string };

function telegramHandlers(deps: IdentityDeps): Handler[] {
  const { store, now } = deps;
  const identify = async (fields: Widget): Promise<Found> => {
    const { method, place } = findMethod(deps, "telegram", "signed");
    const user = await method.identify({ code: "", state: "", fields }, deps);
    const spent = { nowMs: now(), lastsMs: signatureLastsMs };
    if (!(await store.spendProof(hashText(fields.hash.toLowerCase()), spent))) {
      throw new Refusal("invalid-input", "无效的请求");
    }
    return { method, place, user, affCode: "" };
  };
  const bindFields = async (fields: Widget, caller: Caller): Promise<void> => {
    await countTries(deps, caller, async () => await bind(deps, await identify(fields), caller));
  };
  const onward = { redirect: "/setting" } as const;
  return [
    handle(
      contract.signInByTelegram,
      async (fields, caller) =>
        await countTries(deps, caller, async () => {
          const found = await identify(fields);
          const owner = await store.findOwner(found.user);
          if (owner === undefined) throw new Refusal("not-found", "该 Telegram 账户未绑定");
          return await signIn(deps, found, caller);
        }),
    ),

    handle(contract.bindTelegram, async (fields, caller) => {
      // An address is no place for a password.
      await deps.addressGuard.proveOwner(caller, "");
      await bindFields(fields, caller);
      return reply(undefined, onward);
    }),

    handle(contract.bindTelegramHere, async ({ password, state, ...fields }, caller) => {
      if (state === "") await deps.addressGuard.proveOwner(caller, password ?? "");
      else await takeState(deps, "telegram", state, caller);
      await bindFields(fields, caller);
    }),

    handle(contract.returnFromTelegram, async ({ state, ...fields }, caller) => {
      findMethod(deps, "telegram", "signed");
      await takeState(deps, "telegram", state, caller);
      if (caller.userId === 0) throw stateMismatch();
      await bindFields(fields, caller);
      return reply(undefined, onward);
    }),
  ];
}

/** A verified identity, and the sign-in method that verified it. */
type Found = {
  readonly method: Method;
  readonly place: MethodPlace;
  readonly user: ExternalUser;
  /** Invite code for the account, if one is created. */
  readonly affCode: string;
};

/**
 * Finds a sign-in method by its name and kind.
 *
 * @throws Refusal `not-found`, or `not-allowed` if the method is turned off.
 */
function findMethod(
  { readOption }: IdentityDeps,
  name: string,
  kind: Method["kind"],
): { readonly method: Method; readonly place: MethodPlace } {
  const method: Method | undefined = isMethodName(name) ? methods[name] : undefined;
  if (method?.kind !== kind) throw unknownMethod();
  if (!method.isOn(readOption)) {
    throw new Refusal("not-allowed", `管理员未开启通过${method.title}登录以及注册`);
  }
  return { method, place: placeOf(name) };
}

/**
 * Returns the stored name, column and title of a sign-in method. Methods that are turned off are
 * found too, because an existing identity can always be unbound.
 */
function placeOf(name: string): MethodPlace {
  if (name === mailMethod) return { method: mailMethod, column: "email", title: "邮箱" };
  if (!isMethodName(name)) throw unknownMethod();
  const { column, title } = methods[name];
  return { method: name, column, title };
}

const unknownMethod = (): Refusal => new Refusal("not-found", "没有这种登录方式");

/**
 * Identifies the browser to which an OAuth state is issued: by its session, by its user if it is
 * signed in without a session, and otherwise by the id in its cookie. Undefined if a visitor's
 * browser has no such cookie yet.
 */
function ownerOf({ userId, sessionId, browserKey }: Caller): string | undefined {
  return userId === 0 ? browserKey : (sessionId ?? `user:${userId}`);
}

const stateMismatch = (): Refusal => new Refusal("state-mismatch", stateMismatchMessage);

/**
 * Uses up the OAuth state that the browser brought back.
 *
 * @throws Refusal `state-mismatch` if it was not issued to this browser for this method.
 */
async function takeState(
  { store, now }: IdentityDeps,
  method: string,
  state: string,
  caller: Caller,
): Promise<{ readonly affCode: string }> {
  const owner = ownerOf(caller);
  if (state === "" || owner === undefined) throw stateMismatch();
  const brought = { id: hashText(state), method, owner, userId: caller.userId };
  const kept = await store.takeState(brought, now());
  if (kept === undefined) throw stateMismatch();
  return kept;
}

/** Runs `run` and counts a failure, to limit how many proofs a client address can try. */
async function countTries<Result>(
  { limits }: IdentityDeps,
  { clientIp }: Caller,
  run: () => Promise<Result>,
): Promise<Result> {
  const tries = await countAttempt(limits, [[triesRule, addressBlock(clientIp)]], tooOften);
  const result = await run();
  await tries.giveBack();
  return result;
}

/**
 * Signs a visitor in, or binds the identity to a signed-in user. If the caller has signed in or out
 * since the state was issued, `takeState` has already refused the state.
 */
async function finish(deps: IdentityDeps, found: Found, caller: Caller): Promise<Finished> {
  if (caller.userId === 0) return await signIn(deps, found, caller);
  await bind(deps, found, caller);
  return reply(undefined, { message: "bind" });
}

/** Binds an identity to a user who has proven to own the account, and tells the user's address. */
async function bind(deps: IdentityDeps, found: Found, caller: Caller): Promise<void> {
  const { store, addressGuard, now } = deps;
  const { issuer, subject } = found.user;
  const identity = { issuer, subject };
  const shownAs = shownNameOf(found.user);
  const change = await addressGuard.undoOf(caller);
  const by = { actor: actorOf(caller), undo: change?.kept ?? null, nowMs: now() };
  await store.bindIdentity({ ...found.place, identity, shownAs, ...by });
  if (change !== null) await addressGuard.tell(change, caller, { ...found.place, shownAs });
}

async function signIn(
  deps: IdentityDeps,
  found: Found,
  caller: Caller,
): Promise<Reply<SignInAnswer, undefined>> {
  const owner = await deps.store.findOwner(found.user);
  if (owner === undefined) {
    return await deps.enter(await makeAccount(deps, found, caller), caller);
  }
  refuseInactive(owner);
  const { column } = found.place;
  const shownAs = shownNameOf(found.user);
  if (column !== "email" && owner[column] !== shownAs) {
    await deps.store.showIdentity({ userId: owner.id, column, shownAs });
  }
  return await deps.enter(owner, caller);
}

async function makeAccount(deps: IdentityDeps, found: Found, { clientIp, language }: Caller) {
  const { accounts, store, limits, money } = deps;
  accounts.refuseClosed();
  const counted = await countAttempt(limits, [[registerRule, addressBlock(clientIp)]], tooOften);
  const { method, place, user, affCode } = found;
  const { issuer, subject } = user;
  try {
    const { username: _, ...birth } = accounts.birthOf({
      username: "",
      displayName: displayNameOf(user, method),
      passwordHash: "",
      role: role.enum.user,
      language,
    });
    const settled = await store.settle({
      ...place,
      identity: { issuer, subject },
      shownAs: shownNameOf(user),
      birth,
      username: isUsername(user.username) ? user.username : "",
      namePrefix: method.namePrefix,
      address: keptAddress(deps, user.email),
      affCode,
      gifts: accounts.gifts(),
      clientIp,
    });
    money.openedUser(settled.id, settled.quota);
    await deps.applyChanges();
    return settled;
  } catch (error) {
    await counted.giveBack();
    // The identity may have an owner by now: the same person may have created the account in
    // another tab in the meantime.
    const owner = await store.findOwner(user);
    if (owner === undefined) throw error;
    refuseInactive(owner);
    return owner;
  }
}

/**
 * Returns the provider's e-mail address, as stored with a new account. Empty if the provider sent
 * no address, or the options do not allow it.
 */
function keptAddress({ readOption }: IdentityDeps, email: string): string {
  const address = mailAddress.safeParse(email);
  if (!address.success) return "";
  try {
    checkMailAddress(address.data, readOption);
    return address.data;
  } catch {
    return "";
  }
}
