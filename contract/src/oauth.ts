/**
 * Signing in by an account elsewhere, and binding one to the account here. Consoles send the
 * browser to the provider themselves, by the public settings of the server's status.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { signInAnswer } from "./sign-in-answer.ts";

/** Longest value a provider hands to the browser, in characters. */
const providerTextMax = 4_096;

const providerText = z.string("无效的参数").max(providerTextMax, "无效的参数").default("");

/**
 * What the browser has to bring back from the provider, in the parameter `state`: once, within ten
 * minutes, signed in as it was. `aff`: invite code of the account that may be made. `provider`:
 * the only one it may be used for; older consoles do not say. With OIDC it is also the `nonce`.
 *
 * To who is signed in it is one for binding, which asks for a fresh second factor here: coming
 * back they could not be asked any more.
 */
export const createOauthState = endpoint({
  method: "GET",
  path: "/api/oauth/state",
  access: "public",
  input: z.object({
    aff: z.string().max(100).default(""),
    provider: z.string().max(40).default(""),
  }),
  stepUp: () => true,
  output: z.string(),
});

/**
 * What a provider sent the browser back with. A visitor is signed in, with `data`; to who is
 * signed in already the identity is bound, with the message `bind` and no data.
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

/** `code` is what the official account answered; the server behind it says who that was. */
export const signInByWeChat = endpoint({
  method: "GET",
  path: "/api/oauth/wechat",
  access: "public",
  changesState: true,
  twin: "POST",
  input: weChatCode,
  output: signInAnswer,
});

export const bindWeChat = endpoint({
  method: "GET",
  path: "/api/oauth/wechat/bind",
  access: "user",
  changesState: true,
  twin: "POST",
  input: weChatCode,
  stepUp: () => true,
  output: z.void(),
});

const widgetText = z.string("无效的请求").max(1_000, "无效的请求").default("");

/** What Telegram's widget hands over, signed; fields it left out are empty. */
const widget = z.object({
  id: widgetText,
  first_name: widgetText,
  last_name: widgetText,
  username: widgetText,
  photo_url: widgetText,
  auth_date: widgetText,
  hash: widgetText,
});

/** Signs in whoever bound the Telegram account before; it makes no accounts. */
export const signInByTelegram = endpoint({
  method: "GET",
  path: "/api/oauth/telegram/login",
  access: "public",
  changesState: true,
  twin: "POST",
  input: widget,
  output: signInAnswer,
});

/** Called by a page or a program. Goes on to `/setting`. */
export const bindTelegram = endpoint({
  method: "GET",
  path: "/api/oauth/telegram/bind",
  access: "user",
  changesState: true,
  input: widget,
  stepUp: () => true,
  output: z.void(),
});

/** The same without going on. */
export const bindTelegramHere = endpoint({
  method: "POST",
  path: "/api/oauth/telegram/bind",
  access: "user",
  input: widget,
  stepUp: () => true,
  output: z.void(),
});

/**
 * Called by the widget, as a navigation: without the header that says who is signed in, and
 * therefore with a `state` of `/api/oauth/state`. Goes on to `/setting`.
 */
export const returnFromTelegram = endpoint({
  method: "GET",
  path: "/api/oauth/telegram/bind",
  flag: "state",
  access: "public",
  input: widget.extend({ state: providerText }),
  output: z.void(),
});

/**
 * Unbinds the caller's account elsewhere, or with `email` the mailbox. Every session and the
 * access token end; the browser it is done in goes on with a new session. Refused when nothing
 * would be left to sign in by.
 */
export const unbindIdentity = endpoint({
  method: "DELETE",
  path: "/api/oauth/:type/bind",
  access: "user",
  renewsSession: true,
  input: z.object({ type: z.string().max(40) }),
  stepUp: () => true,
  output: z.void(),
});
