/**
 * Sign-in by any OpenID Connect provider. Source: OpenID Connect Core 1.0 and Discovery 1.0, read
 * 2026-11-21.
 *
 * If an option names the provider's configuration document, the user is identified by the id token,
 * which is verified against the provider's keys. If none does, as in older settings, the user is
 * identified by the profile that this server requests from the provider.
 */

import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyOptions,
} from "jose";
import { z } from "zod";
import { Refusal } from "#base/refusal.ts";
import type { ExternalUser, Method, MethodPorts, Proof } from "./method.ts";
import { askOutside, unreadable } from "./outside.ts";

const title = " OIDC ";

const subject = z.string().min(1).max(255);

const configuration = z.object({
  issuer: z.string().min(1).max(2_048),
  jwks_uri: z.string(),
  token_endpoint: z.string(),
  userinfo_endpoint: z.string().optional(),
});

type Configuration = z.infer<typeof configuration>;

const tokenAnswer = z.object({ access_token: z.string().min(1), id_token: z.string().optional() });

const claims = z.object({
  sub: subject,
  name: z.string().nullish().catch(null),
  preferred_username: z.string().nullish().catch(null),
  email: z.string().nullish().catch(null),
  /** Some providers send `email_verified` as a string. */
  email_verified: z.union([z.boolean(), z.string()]).nullish().catch(null),
});

type Claims = z.infer<typeof claims>;

const keySet = z.object({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

/**
 * The accepted signature algorithms of id tokens: those whose signing keys only the provider has.
 * Algorithms keyed by the client secret are excluded.
 */
const algorithms = ["ES256", "ES384", "ES512", "EdDSA", "PS256", "PS384", "PS512", "RS256"];

/** Allowed difference between the provider's clock and this server's. */
const clockToleranceSeconds = 60;

/**
 * How long the provider's configuration and keys are cached. If an id token is signed with a key
 * that is not among the cached ones, they are fetched again, unless they are younger than
 * `askAgainMs`.
 */
const rememberedMs = 10 * 60_000;
const askAgainMs = 30_000;

export const oidc: Method = {
  title,
  column: "oidc_id",
  kind: "redirect",
  namePrefix: "oidc",
  isOn: (readOption) => readOption("oidc.enabled"),

  async identify(proof, ports) {
    const wellKnown = ports.readOption("oidc.well_known");
    if (wellKnown === "") return await identifyByProfile(proof, ports);
    const found = await ask(ports, wellKnown, configuration);
    const { access_token, id_token } = await exchange(proof, ports, found.token_endpoint);
    const token = await verify(id_token, found, proof, ports);
    const profileUrl = ports.readOption("oidc.user_info_endpoint") || found.userinfo_endpoint;
    const profile = profileUrl ? await readProfile(ports, profileUrl, access_token) : token;
    // The profile must be of the user whom the verified id token names; otherwise a profile of
    // another user could be accepted.
    if (profile.sub !== token.sub) throw unreadable(title);
    return userOf(found.issuer, profile, token);
  },
};

async function identifyByProfile(proof: Proof, ports: MethodPorts): Promise<ExternalUser> {
  const url = ports.readOption("oidc.user_info_endpoint");
  if (url === "" || ports.readOption("oidc.token_endpoint") === "") {
    throw new Refusal("not-allowed", "管理员未完成 OIDC 登录的设置");
  }
  const { access_token } = await exchange(proof, ports, "");
  const profile = await readProfile(ports, url, access_token);
  return userOf(new URL(url).origin, profile, profile);
}

async function exchange({ code }: Proof, ports: MethodPorts, discovered: string) {
  const { readOption, callOutside, ownAddress } = ports;
  const form = {
    client_id: readOption("oidc.client_id"),
    client_secret: readOption("oidc.client_secret"),
    code,
    grant_type: "authorization_code",
    redirect_uri: `${ownAddress()}/oauth/oidc`,
  };
  const url = readOption("oidc.token_endpoint") || discovered;
  return await askOutside(callOutside, { url, form }, tokenAnswer, title);
}

async function readProfile(
  { callOutside }: MethodPorts,
  url: string,
  accessToken: string,
): Promise<Claims> {
  const headers = { authorization: `Bearer ${accessToken}` };
  return await askOutside(callOutside, { url, headers }, claims, title);
}

/**
 * Verifies the id token and returns its claims.
 *
 * @throws Refusal `outside-failed` if the token is not the provider's or not meant for this server.
 */
async function verify(
  idToken: string | undefined,
  { issuer, jwks_uri }: Configuration,
  { state }: Proof,
  ports: MethodPorts,
): Promise<Claims> {
  if (idToken === undefined) throw unreadable(title);
  const options: JWTVerifyOptions = {
    issuer,
    audience: ports.readOption("oidc.client_id"),
    algorithms,
    clockTolerance: clockToleranceSeconds,
    currentDate: new Date(ports.now()),
    requiredClaims: ["sub", "exp", "iat"],
  };
  const payload = await checkSignature(idToken, jwks_uri, options, ports);
  // Consoles send the state as the nonce, and the provider copies it into the token. A token
  // without a nonce is accepted, because some sign-in pages send none.
  const { nonce } = payload;
  if (nonce !== undefined && nonce !== state) throw unreadable(title);
  const parsed = claims.safeParse(payload);
  if (!parsed.success) throw unreadable(title);
  return parsed.data;
}

async function checkSignature(
  idToken: string,
  keysUrl: string,
  options: JWTVerifyOptions,
  ports: MethodPorts,
): Promise<JWTPayload> {
  for (const maxAgeMs of [rememberedMs, askAgainMs]) {
    const keys = await ask(ports, keysUrl, keySet, maxAgeMs);
    try {
      // The cast is sound: zod has checked that each key is an object with a key type, as jose
      // requires.
      const set = createLocalJWKSet(keys as JSONWebKeySet);
      return (await jwtVerify(idToken, set, options)).payload;
    } catch (error) {
      // The provider may have changed its keys since they were fetched, so they are fetched again.
      if (error instanceof errors.JWKSNoMatchingKey && maxAgeMs !== askAgainMs) continue;
      if (error instanceof errors.JOSEError || error instanceof TypeError) throw unreadable(title);
      throw error;
    }
  }
  throw unreadable(title);
}

/**
 * How many documents are cached: the configured provider has two, its configuration and its keys.
 * The rest is room for those of a few providers that were configured earlier.
 */
const documentsMax = 8;
const documents = new Map<string, { readonly text: unknown; readonly atMs: number }>();

async function ask<Schema extends z.ZodType>(
  { callOutside, now }: MethodPorts,
  url: string,
  schema: Schema,
  maxAgeMs: number = rememberedMs,
): Promise<z.output<Schema>> {
  const known = documents.get(url);
  const age = known === undefined ? Infinity : Math.abs(now() - known.atMs);
  if (known !== undefined && age < maxAgeMs) return schema.parse(known.text);
  const text = await askOutside(callOutside, { url }, schema, title);
  documents.delete(url);
  documents.set(url, { text, atMs: now() });
  const oldest = documents.keys().next();
  if (documents.size > documentsMax && !oldest.done) documents.delete(oldest.value);
  return text;
}

function userOf(issuer: string, profile: Claims, token: Claims): ExternalUser {
  const username = profile.preferred_username ?? token.preferred_username ?? "";
  return {
    issuer,
    subject: token.sub,
    displayName: profile.name ?? token.name ?? username,
    username,
    email: verifiedMail(profile) || verifiedMail(token),
  };
}

/**
 * Returns the e-mail address, if these claims say that it is verified; otherwise empty. The address
 * and its verification flag must come from the same source, because the flag of one source says
 * nothing about the address in the other.
 */
function verifiedMail({ email, email_verified }: Claims): string {
  const isVerified = email_verified === true || email_verified === "true";
  return isVerified ? (email ?? "") : "";
}
