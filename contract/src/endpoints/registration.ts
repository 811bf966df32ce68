/** Registration, codes sent by e-mail, and password reset. */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { id } from "@tollgate/contract/fields/fields.ts";
import { mailLanguage, mailAddress } from "./mail.ts";
import { botCheckToken } from "./sign-in.ts";
import { newUsername, sentPassword, shortUser } from "./users.ts";

/** Schema of a short text; consoles send `null` for empty fields. */
const short = z
  .string("无效的参数")
  .max(300, "无效的参数")
  .nullish()
  .transform((sent) => sent?.trim() ?? "");

/**
 * Creates an account and signs it in: sets the session cookie and answers as `login` does. Without
 * data, the account exists but is not signed in, because sign-in by password is turned off or the
 * session could not be stored; the user then goes to the sign-in screen, as consoles that do not
 * read the data always do. `email` and `verification_code` are only read if the server requires them
 * (`email_verification` of its status).
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
    /** The inviter's code. An unknown code counts as none. */
    aff_code: short,
    turnstile: botCheckToken,
  }),
  inQuery: ["turnstile"],
  output: shortUser.optional(),
});

/**
 * Sends a code of six digits to an address: to a signed-in user for binding the address, to a
 * visitor for registering. The answer does not reveal whether the address belongs to a user.
 */
export const sendMailCode = endpoint({
  method: "GET",
  path: "/api/verification",
  access: "public",
  changesState: true,
  alias: "POST",
  input: z.object({ email: mailAddress, turnstile: botCheckToken, lang: mailLanguage }),
  output: z.void(),
});

/**
 * Sends a link to `/user/reset` if the address belongs to a user; the answer is the same if not.
 */
export const sendResetLink = endpoint({
  method: "GET",
  path: "/api/reset_password",
  access: "public",
  changesState: true,
  alias: "POST",
  input: z.object({ email: mailAddress, turnstile: botCheckToken, lang: mailLanguage }),
  output: z.void(),
});

/**
 * Sets a random password and answers with it; no later call can read it. Ends every session and
 * revokes the access token. After signing in with that password, the user must choose another one
 * first.
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

/** Number of digits of a code sent by e-mail. */
export const mailCodeLength = 6;

/** The caller's current password, for the calls that require it. */
const presentPassword = z.string("无效的参数").max(1_000, "无效的参数").nullish();

/**
 * Binds the address that the code was sent to. Replacing an address also requires the current
 * password, unless the caller has just proven a second factor; a user who has neither must have
 * signed in a moment ago. The old address gets an e-mail with a link that undoes the change
 * (`undoMailChange`).
 */
export const bindMail = endpoint({
  method: "GET",
  path: "/api/oauth/email/bind",
  access: "user",
  changesState: true,
  alias: "POST",
  input: z.object({
    email: mailAddress,
    code: z.string("无效的参数").trim().min(1, "无效的参数").max(64, "无效的参数"),
    password: presentPassword,
  }),
  stepUp: () => true,
  output: z.void(),
});

/**
 * Undoes a change of an e-mail address, by the link that was sent to the old address. Ends every
 * session, removes the password and the access token, and unbinds what was bound to the account
 * since the change.
 */
export const undoMailChange = endpoint({
  method: "POST",
  path: "/api/user/email/undo",
  access: "public",
  input: z.object({
    user: id,
    email: mailAddress,
    token: z.string("无效的参数").trim().min(1, "无效的参数").max(300, "无效的参数"),
  }),
  output: z.void(),
});
