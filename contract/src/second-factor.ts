/**
 * A second proof of who signs in: codes of an authenticator app (TOTP), passkeys, and ten recovery
 * codes for the day both are lost. Whoever has one is asked for it when signing in, and again,
 * unless that was within five minutes, before what `Endpoint.stepUp` names.
 *
 * Of a passkey the browser is handed `options` and answers a credential, both as WebAuthn has
 * them in JSON. Times are Unix seconds.
 */

import { z } from "zod";
import { endpoint } from "./endpoint.ts";
import { id, sentText } from "./fields.ts";
import { shortUser } from "./users.ts";

const whole = z.number().int();

/** Passkeys one user may have. */
export const passkeysMax = 10;

export const passkeyNameMax = 40;

export const recoveryCodeCount = 10;

const word = (max: number) => z.string("无效的参数").max(max, "无效的参数");

/** Of an app, or one of the recovery codes. */
const code = word(40).trim().min(1, "请输入验证码");

/** Names a step that was begun; good for one use and five minutes. */
const ticket = word(100).min(1, "无效的参数");

/** The present password: asked for by whoever has no second factor yet. */
const password = word(1_000).nullish();

const recoveryCodes = z.array(z.string());

export const passkey = z.object({
  id: whole,
  name: z.string(),
  created_at: whole,
  /** 0: never. */
  used_at: whole,
});

export const secondFactors = z.object({
  /** Whether there is any, and so is asked for. */
  enabled: z.boolean(),
  totp: z.boolean(),
  passkeys: z.array(passkey),
  recovery_codes_left: whole,
  /** Whether the first one asks for the present password: there is one. */
  asks_password: z.boolean(),
  /** False while the server does not know its own address, which passkeys are bound to. */
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

/** Makes the secret an app shares with us. It counts once `enableTotp` has seen a code of it. */
export const setUpTotp = endpoint({
  method: "POST",
  path: "/api/user/2fa/setup",
  access: "user",
  stepUp: () => true,
  input: z.object({ password }),
  /** `uri`: what a QR code shows an app. */
  output: z.object({ secret: z.string(), uri: z.string() }),
});

/** Answers the recovery codes, this once, when it is the first factor; else none. */
export const enableTotp = endpoint({
  method: "POST",
  path: "/api/user/2fa/enable",
  access: "user",
  stepUp: () => true,
  input: z.object({ code }),
  output: z.object({ recovery_codes: recoveryCodes }),
});

/** The recovery codes go with the last factor. */
export const disableTotp = endpoint({
  method: "POST",
  path: "/api/user/2fa/disable",
  access: "user",
  stepUp: () => true,
  input: z.object({}),
  output: z.void(),
});

/** Ten new ones, answered this once; those before end. */
export const renewRecoveryCodes = endpoint({
  method: "POST",
  path: "/api/user/2fa/recovery_codes",
  access: "user",
  stepUp: () => true,
  input: z.object({}),
  output: z.object({ recovery_codes: recoveryCodes }),
});

/** Proves the second factor again. The session goes on under a new cookie. */
export const stepUp = endpoint({
  method: "POST",
  path: "/api/user/2fa/verify",
  access: "user",
  whilePasswordExpired: () => true,
  renewsSession: true,
  input: z.object({ code }),
  output: z.void(),
});

/** The second step of a sign-in. Sets the session cookie. */
export const loginByCode = endpoint({
  method: "POST",
  path: "/api/user/login/2fa",
  access: "public",
  input: z.object({ ticket, code }),
  output: shortUser,
});

/** For somebody below the caller who lost all factors. */
export const resetSecondFactor = endpoint({
  method: "DELETE",
  path: "/api/user/:id/2fa",
  access: "admin",
  stepUp: () => true,
  input: z.object({ id }),
  output: z.void(),
});

/** As WebAuthn has it; made and read by libraries on both sides. */
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

/** Recovery codes as `enableTotp` answers them. */
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

/** Its name is its user's alone, so that no fresh second factor is asked for. */
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

/** With the ticket of a sign-in its second step; without one a passkey alone signs in. */
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
