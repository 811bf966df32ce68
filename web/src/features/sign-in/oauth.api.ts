import {
  bindTelegramHere,
  createOauthState,
  finishOauth,
  signInByTelegram,
  signInByWeChat as signInByWeChatCode,
} from "@tollgate/contract/endpoints/oauth.ts";
import {
  beginPasskeyLogin,
  finishPasskeyLogin,
  loginByCode,
} from "@tollgate/contract/endpoints/second-factor.ts";
import type { SignInAnswer } from "@tollgate/contract/endpoints/sign-in-answer.ts";
import { stateMismatchMessage } from "@tollgate/contract/words/state-mismatch.ts";
import type { Status } from "@tollgate/contract/endpoints/status.ts";
import type { ShortUser } from "@tollgate/contract/endpoints/users.ts";
import type { T } from "#i18n/t.ts";
import { call, CallError } from "#api/call.ts";
import { keepSession, readSession } from "#api/session.ts";
import { ownAddress } from "#page/base-path.ts";
import { takeTelegramReturn } from "#widgets/sign-in/telegram-return.ts";
import { readInvite } from "./invite.ts";
import { consentAddress, type RedirectProvider } from "#widgets/sign-in/providers.ts";
import { kept } from "./sign-in.api.ts";

/**
 * Begins a sign-in by a provider: makes the address of its consent page. The `state` in it is valid
 * once, within ten minutes.
 */
export async function beginOauth(
  provider: RedirectProvider,
  status: Status,
): Promise<{ readonly address: string; readonly state: string }> {
  const state = await call(createOauthState, { aff: readInvite(), provider });
  return { address: consentAddress(provider, status, { state, origin: ownAddress() }), state };
}

/** The parameters that the provider added to the address; undefined: not present. */
export type Brought = {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly error?: string | undefined;
  readonly error_description?: string | undefined;
};

/**
 * Completes a sign-in by a provider. Undefined: nobody was signed in, but the identity was bound to
 * the signed-in user.
 */
export async function endOauth(type: string, brought: Brought): Promise<SignInAnswer | undefined> {
  const answer = await call(finishOauth, { type, ...brought });
  return answer === undefined ? undefined : kept(answer);
}

/** The last path segment of the address to which Telegram returns. */
export const telegramType = "telegram";

const telegramFields = [
  "id",
  "first_name",
  "last_name",
  "username",
  "photo_url",
  "auth_date",
  "hash",
] as const;

/**
 * Sends Telegram's signed answer to the server. Undefined: the identity was bound to the signed-in
 * user.
 *
 * @throws CallError if the server refuses, or if this tab did not ask Telegram for an answer.
 */
export async function endTelegram(
  search: Readonly<Record<string, unknown>>,
  t: T,
): Promise<SignInAnswer | undefined> {
  const { refused } = search;
  if (typeof refused === "string") {
    // The answer came from a Telegram button on another page: the server has handled it, refused,
    // and redirected the browser here.
    const why = refused === "already-exists" ? "entry.telegramTaken" : "entry.telegramRefused";
    throw new CallError(t(why), new Response());
  }
  const userId = readSession()?.id ?? 0;
  const state = takeTelegramReturn(search["state"], userId, Date.now());
  if (state === undefined) {
    throw new CallError(stateMismatchMessage, new Response());
  }
  const fields = Object.fromEntries(
    telegramFields.flatMap((name) => {
      const value = search[name];
      return typeof value === "string" ? [[name, value]] : [];
    }),
  );
  if (userId === 0) return kept(await call(signInByTelegram, fields));
  await call(bindTelegramHere, { ...fields, state });
  return undefined;
}

export async function signInByWeChat(code: string): Promise<SignInAnswer> {
  return kept(await call(signInByWeChatCode, { code }));
}

/**
 * Completes a sign-in by a code: of the authenticator app, or a recovery code.
 *
 * @param ticket identifies the first step of the sign-in.
 */
export async function signInByCode(ticket: string, code: string): Promise<ShortUser> {
  const user = await call(loginByCode, { ticket, code });
  keepSession(user);
  return user;
}

/**
 * Signs in by a passkey.
 *
 * @param ticket the first step that the passkey completes as second factor; null: the passkey alone
 * signs in.
 * @returns undefined if the user closed the browser's passkey dialog.
 */
export async function signInByPasskey(ticket: string | null): Promise<ShortUser | undefined> {
  const begun = await call(beginPasskeyLogin, { ticket });
  const { startAuthentication } = await import("@simplewebauthn/browser");
  let credential;
  try {
    credential = await startAuthentication({ optionsJSON: begun.options });
  } catch {
    return undefined;
  }
  const user = await call(finishPasskeyLogin, { ticket: begun.ticket, credential });
  keepSession(user);
  return user;
}
