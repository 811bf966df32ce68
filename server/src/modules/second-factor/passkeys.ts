/**
 * Makes WebAuthn requests and verifies the answers. A passkey is bound to the public address of
 * this server.
 */

import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import type {
  finishPasskey,
  finishPasskeyLogin,
} from "@tollgate/contract/endpoints/second-factor.ts";
import type { z } from "zod";
import { Refusal } from "#base/refusal.ts";
import type { PasskeyRow } from "./second-factor.repo.ts";
import { freshMs } from "./second-factor.ts";

/**
 * Loads the WebAuthn library on the first use of a passkey, because it contains half a megabyte of
 * code.
 */
async function loadWebAuthn() {
  // The polyfill is imported before the library, because in a bundle the library runs before its
  // own import of this polyfill.
  await import("reflect-metadata");
  return await import("@simplewebauthn/server");
}

type RelyingParty = {
  /** Host name of this server. */
  readonly id: string;
  readonly origin: string;
};

/**
 * Finds the WebAuthn relying party: this server under the address in the option `ServerAddress`.
 * The address in the request is not used, because a caller can forge it. Undefined if the option is
 * not set, or browsers do not allow passkeys at that address.
 */
export function findRelyingParty(serverAddress: string): RelyingParty | undefined {
  const url = URL.parse(serverAddress);
  if (url === null) return undefined;
  const { hostname: id, origin, protocol } = url;
  const isAddress = id.startsWith("[") || /^\d{1,3}(\.\d{1,3}){3}$/.test(id);
  const isSecure = protocol === "https:" || id === "localhost";
  return isSecure && !isAddress ? { id, origin } : undefined;
}

/**
 * Returns the relying party that `findRelyingParty` finds.
 * @throws Refusal `not-allowed` if there is none.
 */
export function readRelyingParty(serverAddress: string): RelyingParty {
  const party = findRelyingParty(serverAddress);
  if (party !== undefined) return party;
  throw new Refusal("not-allowed", "管理员未设置 HTTPS 服务器地址，无法使用通行密钥");
}

export async function askForNew(
  party: RelyingParty,
  rpName: string,
  owner: { readonly id: number; readonly username: string; readonly display_name: string },
  known: readonly PasskeyRow[],
) {
  const { generateRegistrationOptions } = await loadWebAuthn();
  return await generateRegistrationOptions({
    rpName,
    rpID: party.id,
    userName: owner.username,
    userDisplayName: owner.display_name,
    userID: new TextEncoder().encode(String(owner.id)),
    timeout: freshMs,
    excludeCredentials: known.map(describe),
    authenticatorSelection: { residentKey: "preferred", userVerification: "required" },
  });
}

/**
 * Makes the request with which the browser asks the user for a passkey.
 * @param known passkeys of which one must be used; empty to accept any that the browser has for
 * this server.
 */
export async function askForProof(party: RelyingParty, known: readonly PasskeyRow[]) {
  const { generateAuthenticationOptions } = await loadWebAuthn();
  return await generateAuthenticationOptions({
    rpID: party.id,
    timeout: freshMs,
    userVerification: "required",
    ...(known.length === 0 ? {} : { allowCredentials: known.map(describe) }),
  });
}

function describe({ credential_id, transports }: PasskeyRow) {
  return {
    id: credential_id,
    ...(transports === "" ? {} : { transports: transports.split(",") }),
  };
}

type NewPasskey = Pick<PasskeyRow, "counter" | "credential_id" | "public_key" | "transports">;

type Created = z.output<(typeof finishPasskey)["input"]>["credential"];

/**
 * Verifies the browser's answer to a request for a new passkey.
 * @throws Refusal `not-allowed` if anything in the answer is invalid.
 */
export async function verifyNew(
  party: RelyingParty,
  challenge: string,
  { id, rawId, type, response }: Created,
): Promise<NewPasskey> {
  const { clientDataJSON, attestationObject, transports = [] } = response;
  const sent: RegistrationResponseJSON = {
    id,
    rawId,
    type,
    response: { clientDataJSON, attestationObject },
    clientExtensionResults: {},
  };
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const verified = await orRefuse(
    verifyRegistrationResponse({
      response: sent,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: true,
    }),
  );
  if (!verified.verified) throw wrongPasskey();
  const { credential } = verified.registrationInfo;
  return {
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
    transports: transports.filter((word) => /^[a-z-]+$/.test(word)).join(","),
  };
}

export type Shown = z.output<(typeof finishPasskeyLogin)["input"]>["credential"];

/**
 * Verifies the browser's answer to a request for an existing passkey.
 * @returns the authenticator's signature counter.
 * @throws Refusal `not-allowed` if anything in the answer is invalid.
 */
export async function verifyProof(
  party: RelyingParty,
  challenge: string,
  passkey: PasskeyRow,
  { id, rawId, type, response }: Shown,
): Promise<number> {
  const { clientDataJSON, authenticatorData, signature } = response;
  const sent: AuthenticationResponseJSON = {
    id,
    rawId,
    type,
    response: { clientDataJSON, authenticatorData, signature },
    clientExtensionResults: {},
  };
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const { verified, authenticationInfo } = await orRefuse(
    verifyAuthenticationResponse({
      response: sent,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(Buffer.from(passkey.public_key, "base64url")),
        counter: passkey.counter,
      },
      requireUserVerification: true,
    }),
  );
  if (!verified) throw wrongPasskey();
  return authenticationInfo.newCounter;
}

/**
 * Refuses an answer for which the library throws: it does so for any fault in the browser's answer.
 */
async function orRefuse<Result>(verifying: Promise<Result>): Promise<Result> {
  try {
    return await verifying;
  } catch {
    throw wrongPasskey();
  }
}

export function wrongPasskey(): Refusal {
  return new Refusal("not-allowed", "通行密钥验证失败");
}
