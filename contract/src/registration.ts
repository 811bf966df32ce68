/** New accounts, codes sent by mail, and passwords that were forgotten. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { mailLanguage, mailAddress } from "./mail.ts";
import { botCheckToken } from "./sign-in.ts";
import { newUsername, sentPassword } from "./users.ts";

/** Consoles send `null` for what was left empty. */
const short = z
  .string("无效的参数")
  .max(300, "无效的参数")
  .nullish()
  .transform((sent) => sent?.trim() ?? "");

/**
 * Makes an account, which is not signed in by that. `email` and `verification_code` are looked at
 * only where the server asks for them (`email_verification` of its status).
 */
export const register = endpoint({
  method: "POST",
  path: "/api/user/register",
  access: "public",
  input: z.object({
    username: newUsername,
    password: sentPassword,
    email: short,
    verification_code: short,
    /** The inviter's. One that nobody has is none. */
    aff_code: short,
    turnstile: botCheckToken,
  }),
  inQuery: ["turnstile"],
  output: z.void(),
});

/**
 * Sends six digits to an address: to who is signed in for binding it, to a visitor for
 * registering. What is answered does not tell whether the address is somebody's.
 */
export const sendMailCode = endpoint({
  method: "GET",
  path: "/api/verification",
  access: "public",
  changesState: true,
  twin: "POST",
  input: z.object({ email: mailAddress, turnstile: botCheckToken, lang: mailLanguage }),
  output: z.void(),
});

/** Sends a link to `/user/reset`, if the address is somebody's; answers alike if it is not. */
export const sendResetLink = endpoint({
  method: "GET",
  path: "/api/reset_password",
  access: "public",
  changesState: true,
  twin: "POST",
  input: z.object({ email: mailAddress, turnstile: botCheckToken, lang: mailLanguage }),
  output: z.void(),
});

/**
 * Answers with the new password, this once. Every session and the access token end, and whoever
 * signs in by it has to choose another one first.
 */
export const resetPassword = endpoint({
  method: "POST",
  path: "/api/user/reset",
  access: "public",
  input: z.object({
    email: mailAddress,
    token: z.string("无效的参数").trim().min(1, "无效的参数").max(300, "无效的参数"),
  }),
  output: z.string(),
});

/** Digits of a code sent by mail. */
export const mailCodeLength = 6;

/** Binds an address that a code was sent to, in place of the one before. */
export const bindMail = endpoint({
  method: "GET",
  path: "/api/oauth/email/bind",
  access: "user",
  changesState: true,
  twin: "POST",
  input: z.object({
    email: mailAddress,
    code: z.string("无效的参数").trim().min(1, "无效的参数").max(64, "无效的参数"),
  }),
  stepUp: () => true,
  output: z.void(),
});
