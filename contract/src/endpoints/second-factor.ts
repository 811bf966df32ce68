/**
 * Second factor: codes of an authenticator app (TOTP), passkeys, and ten recovery codes for users
 * who lost both. A user who has one is asked for it when signing in, and again before the calls
 * with `Endpoint.stepUp`, unless that was within five minutes.
 *
 * For passkeys, the browser gets `options` and answers with a credential, both in WebAuthn's JSON.
 * Times are Unix seconds.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { id, sentText } from "@tollgate/contract/fields/fields.ts";
import { shortUser } from "./users.ts";

const whole = z.number().int();

/** The largest number of passkeys of one user. */
export const passkeysMax = 10;

export const passkeyNameMax = 40;

export const recoveryCodeCount = 10;

const word = (max: number) => z.string("无效的参数").max(max, "无效的参数");

/** A code of an authenticator app, or a recovery code. */
const code = word(40).trim().min(1, "请输入验证码");

/** Identifies the first of two calls to the second one; valid once, within five minutes. */
const ticket = word(100).min(1, "无效的参数");

/** The current password, which the server requires of users without a second factor. */
const password = word(1_000).nullish();

const recoveryCodes = z.array(z.string());

export const passkey = z.object({
  id: whole,
  name: z.string(),
  created_at: whole,
  /** When the passkey was last used; 0: never. */
  used_at: whole,
});

export const secondFactors = z.object({
  /** Whether the user has a second factor. */
  enabled: z.boolean(),
  totp: z.boolean(),
  passkeys: z.array(passkey),
  recovery_codes_left: whole,
  /** Whether setting up the first factor requires the current password. */
  asks_password: z.boolean(),
  /**
   * Whether passkeys can be used: not while the server does not know its own address, to which they
   * are bound.
   */
  passkeys_available: z.boolean(),
});
export type SecondFactors = z.infer<typeof secondFactors>;

export const readSecondFactors = endpoint({
  method: "GET",
  path: "/api/user/2fa",
  access: "user",
  whilePasswordExpired: () => true,
  input: z.object({}),
  output: secondFactors,
});

/**
 * Creates the secret of an authenticator app. It takes effect when `enableTotp` has seen one of its
 * codes.
 */
export const setUpTotp = endpoint({
  method: "POST",
  path: "/api/user/2fa/setup",
  access: "user",
  stepUp: () => true,
  input: z.object({ password }),
  /** `uri`: the content of the QR code. */
  output: z.object({ secret: z.string(), uri: z.string() }),
});

/**
 * Turns the authenticator app on. Answers with the recovery codes if this is the user's first
 * factor, otherwise with none; no later call answers with them.
 */
export const enableTotp = endpoint({
  method: "POST",
  path: "/api/user/2fa/enable",
  access: "user",
  stepUp: () => true,
  input: z.object({ code }),
  output: z.object({ recovery_codes: recoveryCodes }),
});

/**
 * Removes the authenticator app. If it was the last factor, the recovery codes are removed, too.
 */
export const disableTotp = endpoint({
  method: "POST",
  path: "/api/user/2fa/disable",
  access: "user",
  stepUp: () => true,
  input: z.object({}),
  output: z.void(),
});

/** Creates ten new recovery codes, answered by this call only; the old ones stop working. */
export const renewRecoveryCodes = endpoint({
  method: "POST",
  path: "/api/user/2fa/recovery_codes",
  access: "user",
  stepUp: () => true,
  input: z.object({}),
  output: z.object({ recovery_codes: recoveryCodes }),
});

/** Proves the second factor again. The session continues under a new cookie. */
export const stepUp = endpoint({
  method: "POST",
  path: "/api/user/2fa/verify",
  access: "user",
  whilePasswordExpired: () => true,
  renewsSession: true,
  input: z.object({ code }),
  output: z.void(),
});

/**
 * Completes a sign-in that needs a second factor, with a code of an authenticator app or a recovery
 * code. Sets the session cookie.
 */
export const loginByCode = endpoint({
  method: "POST",
  path: "/api/user/login/2fa",
  access: "public",
  input: z.object({ ticket, code }),
  output: shortUser,
});

/** Removes all factors of a user who has lost them and whose role is below the caller's. */
export const resetSecondFactor = endpoint({
  method: "DELETE",
  path: "/api/user/:id/2fa",
  access: "admin",
  stepUp: () => true,
  input: z.object({ id }),
  output: z.void(),
});

/**
 * The options of a passkey ceremony, as WebAuthn's JSON; libraries on both sides write and read it.
 */
const options = z.looseObject({ challenge: z.string() });
const begun = z.object({ ticket: z.string(), options });

const passkeyName = sentText(passkeyNameMax, `名称最多 ${passkeyNameMax} 个字符`);

const binary = (max: number) => word(max).regex(/^[A-Za-z0-9_-]+$/, "无效的参数");
const credentialId = binary(1_400);

const createdCredential = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal("public-key", "无效的参数"),
  response: z.object({
    clientDataJSON: binary(8_000),
    attestationObject: binary(64_000),
    transports: z.array(word(40)).max(10).optional(),
  }),
});

const shownCredential = z.object({
  id: credentialId,
  rawId: credentialId,
  type: z.literal("public-key", "无效的参数"),
  response: z.object({
    clientDataJSON: binary(8_000),
    authenticatorData: binary(8_000),
    signature: binary(8_000),
    userHandle: binary(200).nullish(),
  }),
});

export const beginPasskey = endpoint({
  method: "POST",
  path: "/api/user/passkey/register/begin",
  access: "user",
  stepUp: () => true,
  input: z.object({ password }),
  output: begun,
});

/** Stores a new passkey. Answers with recovery codes as `enableTotp` does. */
export const finishPasskey = endpoint({
  method: "POST",
  path: "/api/user/passkey/register/finish",
  access: "user",
  stepUp: () => true,
  input: z.object({
    ticket,
    name: passkeyName,
    credential: createdCredential,
  }),
  output: z.object({ recovery_codes: recoveryCodes }),
});

/** Renames a passkey. Only its user ever sees the name, so no fresh second factor is needed. */
export const renamePasskey = endpoint({
  method: "PUT",
  path: "/api/user/passkey/:id",
  access: "user",
  input: z.object({ id, name: passkeyName }),
  output: z.void(),
});

export const removePasskey = endpoint({
  method: "DELETE",
  path: "/api/user/passkey/:id",
  access: "user",
  stepUp: () => true,
  input: z.object({ id }),
  output: z.void(),
});

export const beginPasskeyStepUp = endpoint({
  method: "POST",
  path: "/api/user/passkey/verify/begin",
  access: "user",
  whilePasswordExpired: () => true,
  input: z.object({}),
  output: begun,
});

export const finishPasskeyStepUp = endpoint({
  method: "POST",
  path: "/api/user/passkey/verify/finish",
  access: "user",
  whilePasswordExpired: () => true,
  renewsSession: true,
  input: z.object({ ticket, credential: shownCredential }),
  output: z.void(),
});

/**
 * Begins a sign-in by passkey. With the ticket of a sign-in by password, it is that sign-in's
 * second step; without one, the passkey alone signs in.
 */
export const beginPasskeyLogin = endpoint({
  method: "POST",
  path: "/api/user/login/passkey/begin",
  access: "public",
  input: z.object({ ticket: word(100).nullish() }),
  output: begun,
});

export const finishPasskeyLogin = endpoint({
  method: "POST",
  path: "/api/user/login/passkey/finish",
  access: "public",
  input: z.object({ ticket, credential: shownCredential }),
  output: shortUser,
});
