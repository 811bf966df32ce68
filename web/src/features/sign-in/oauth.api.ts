import {
  createOauthState,
  finishOauth,
  signInByWeChat as signInByWeChatCode,
} from "contract/oauth.ts";
import {
  beginPasskeyLogin,
  finishPasskeyLogin,
  loginByCode,
  type SignInAnswer,
} from "contract/second-factor.ts";
import type { Status } from "contract/status.ts";
import type { ShortUser } from "contract/users.ts";
import { call } from "#api/call.ts";
import { keepSession } from "#api/session.ts";
import { readInvite } from "./invite.ts";
import { consentAddress, type RedirectProvider } from "./providers.ts";
import { kept } from "./sign-in.api.ts";

/** Where to send the browser: once, within ten minutes. */
export async function beginOauth(provider: RedirectProvider, status: Status): Promise<string> {
  const state = await call(createOauthState, { aff: readInvite(), provider });
  return consentAddress(provider, status, { state, origin: location.origin });
}

/** What the provider put into the address; undefined: left out. */
export type Brought = {
  readonly code?: string | undefined;
  readonly state?: string | undefined;
  readonly error?: string | undefined;
  readonly error_description?: string | undefined;
};

/** Undefined: the account elsewhere is bound to who is signed in. */
export async function endOauth(type: string, brought: Brought): Promise<SignInAnswer | undefined> {
  const answer = await call(finishOauth, { type, ...brought });
  return answer === undefined ? undefined : kept(answer);
}

export async function signInByWeChat(code: string): Promise<SignInAnswer> {
  return kept(await call(signInByWeChatCode, { code }));
}

/** `code`: of an app, or one of the recovery codes. */
export async function proveByCode(ticket: string, code: string): Promise<ShortUser> {
  const user = await call(loginByCode, { ticket, code });
  keepSession(user);
  return user;
}

/** Undefined: somebody closed the browser's question. */
export async function proveByPasskey(ticket: string): Promise<ShortUser | undefined> {
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
