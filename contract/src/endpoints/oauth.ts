/**
 * OAuth identities: signing in with one and binding one to an account. Consoles send the browser to
 * the provider themselves, by the public settings of the server's status.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { signInAnswer } from "./sign-in-answer.ts";

/** The present password, by which users without a second factor prove to own the account. */
const presentPassword = z.string("无效的参数").max(1_000, "无效的参数").nullish();

/** The longest value that a provider gives to the browser, in characters. */
const providerTextMax = 4_096;

const providerText = z.string("无效的参数").max(providerTextMax, "无效的参数").default("");

/**
 * Creates the `state` that the browser has to bring back from the provider: once, within ten
 * minutes, with the same sign-in as before.
 *
 * `aff`: invite code for an account that is created. `provider`: the only provider that the state
 * is valid for; older consoles do not send it. With OIDC the state is also the `nonce`.
 *
 * If the caller is signed in, the state is for binding an identity. That requires the password or a
 * fresh second factor already here, because neither can be asked for when the browser comes back.
 */
export const createOauthState = endpoint({
  method: "GET",
  path: "/api/oauth/state",
  access: "public",
  alias: "POST",
  input: z.object({
    aff: z.string().max(100).default(""),
    provider: z.string().max(40).default(""),
    password: presentPassword,
  }),
  stepUp: () => true,
  output: z.string(),
});

/**
 * Completes a sign-in or a binding with the provider's answer, as the browser brings it back. A
 * visitor is signed in, and the answer has `data`. For a signed-in caller the identity is bound,
 * and the answer has the message `bind` and no data.
 */
export const finishOauth = endpoint({
  method: "GET",
  path: "/api/oauth/:type",
  access: "public",
  input: z.object({
    type: z.string().max(40),
    code: providerText,
    state: providerText,
    error: providerText,
    error_description: providerText,
  }),
  output: signInAnswer.optional(),
});

const weChatCode = z.object({ code: providerText });

/**
 * Signs in with `code`, a one-time code from the operator's WeChat Official Account. The gateway
 * asks the operator's WeChat server, a program of its own, whose code it is.
 */
export const signInByWeChat = endpoint({
  method: "GET",
  path: "/api/oauth/wechat",
  access: "public",
  changesState: true,
  alias: "POST",
  input: weChatCode,
  output: signInAnswer,
});

/** Binds the WeChat account to a user who proves to own the account, as `bindMail` does. */
export const bindWeChat = endpoint({
  method: "GET",
  path: "/api/oauth/wechat/bind",
  access: "user",
  changesState: true,
  alias: "POST",
  input: weChatCode.extend({ password: presentPassword }),
  stepUp: () => true,
  output: z.void(),
});

const widgetText = z.string("无效的请求").max(1_000, "无效的请求").default("");

/** The signed fields that Telegram's widget sends; missing fields are empty. */
const widget = z.object({
  id: widgetText,
  first_name: widgetText,
  last_name: widgetText,
  username: widgetText,
  photo_url: widgetText,
  auth_date: widgetText,
  hash: widgetText,
});

/** Signs in the user who has bound this Telegram account; never creates an account. */
export const signInByTelegram = endpoint({
  method: "GET",
  path: "/api/oauth/telegram/login",
  access: "public",
  changesState: true,
  alias: "POST",
  input: widget,
  output: signInAnswer,
});

/**
 * Binds the Telegram account, then redirects to `/setting`. For pages and programs that send the
 * caller's user-id header. Refused for users who would have to prove their password.
 */
export const bindTelegram = endpoint({
  method: "GET",
  path: "/api/oauth/telegram/bind",
  refusedPage: "/oauth/telegram",
  access: "user",
  changesState: true,
  input: widget,
  stepUp: () => true,
  output: z.void(),
});

/**
 * Binds the Telegram account without a redirect. The user proves to own the account by the password,
 * or has done so for the `state` of `/api/oauth/state`.
 */
export const bindTelegramHere = endpoint({
  method: "POST",
  path: "/api/oauth/telegram/bind",
  access: "user",
  input: widget.extend({ password: presentPassword, state: providerText }),
  stepUp: () => true,
  output: z.void(),
});

/**
 * Binds the Telegram account after Telegram's widget has navigated here, then redirects to
 * `/setting`. A navigation cannot send the user-id header, so a `state` of `/api/oauth/state`
 * proves who the caller is.
 */
export const returnFromTelegram = endpoint({
  method: "GET",
  path: "/api/oauth/telegram/bind",
  flag: "state",
  refusedPage: "/oauth/telegram",
  access: "public",
  input: widget.extend({ state: providerText }),
  output: z.void(),
});

/**
 * Unbinds an OAuth identity of the caller or, with `email`, the mailbox; that requires the same
 * proof as replacing the mailbox (`bindMail`). Ends every session and revokes the access token; the
 * calling browser gets a new session. Refused if the user could not sign in any more.
 */
export const unbindIdentity = endpoint({
  method: "DELETE",
  path: "/api/oauth/:type/bind",
  access: "user",
  renewsSession: true,
  input: z.object({ type: z.string().max(40), password: z.string().max(1_000).nullish() }),
  inBody: ["password"],
  stepUp: () => true,
  output: z.void(),
});
