/**
 * OAuth identities: signing in with one and binding one to an account. Consoles send the browser to
 * the provider themselves, by the public settings of the server's status.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { signInAnswer } from "./sign-in-answer.ts";

/** The longest value a provider hands to the browser, in characters. */
const providerTextMax = 4_096;

const providerText = z.string("无效的参数").max(providerTextMax, "无效的参数").default("");

/**
 * The `state` that the browser has to bring back from the provider: once, within ten minutes, with
 * the same sign-in as before. `aff`: invite code for an account that is created. `provider`: the
 * only provider it is valid for; older consoles do not send it. With OIDC it is also the `nonce`.
 *
 * For a signed-in caller the state is for binding. That asks for a fresh second factor here,
 * because it cannot be asked for when the browser comes back.
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
 * The provider's answer, as the browser brings it back. A visitor is signed in, with `data`. For a
 * signed-in caller the identity is bound, with the message `bind` and no data.
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

/** `code` comes from the official account; the server behind it knows whose code it is. */
export const signInByWeChat = endpoint({
  method: "GET",
  path: "/api/oauth/wechat",
  access: "public",
  changesState: true,
  alias: "POST",
  input: weChatCode,
  output: signInAnswer,
});

export const bindWeChat = endpoint({
  method: "GET",
  path: "/api/oauth/wechat/bind",
  access: "user",
  changesState: true,
  alias: "POST",
  input: weChatCode,
  stepUp: () => true,
  output: z.void(),
});

const widgetText = z.string("无效的请求").max(1_000, "无效的请求").default("");

/** The signed fields of Telegram's widget; missing fields are empty. */
const widget = z.object({
  id: widgetText,
  first_name: widgetText,
  last_name: widgetText,
  username: widgetText,
  photo_url: widgetText,
  auth_date: widgetText,
  hash: widgetText,
});

/** Signs in the user who has bound the Telegram account; it creates no accounts. */
export const signInByTelegram = endpoint({
  method: "GET",
  path: "/api/oauth/telegram/login",
  access: "public",
  changesState: true,
  alias: "POST",
  input: widget,
  output: signInAnswer,
});

/** Called by a page or a program. Redirects to `/setting`. */
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

/** Binds the Telegram account without a redirect. */
export const bindTelegramHere = endpoint({
  method: "POST",
  path: "/api/oauth/telegram/bind",
  access: "user",
  input: widget,
  stepUp: () => true,
  output: z.void(),
});

/**
 * Called by the widget as a navigation, without the header that names the signed-in user, and
 * therefore with a `state` of `/api/oauth/state`. Redirects to `/setting`.
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
 * Unbinds an OAuth identity of the caller or, with `email`, the mailbox, which needs what replacing
 * it needs (`bindMail`). Every session and the
 * access token end; the calling browser continues with a new session. Refused if the user could not
 * sign in any more.
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
