/**
 * Gets access tokens for a service account of Google's, by an assertion that is signed with its key.
 * Documents: https://developers.google.com/identity/protocols/oauth2/service-account (read
 * 2026-11-23).
 */

import { createPrivateKey, sign as signBytes } from "node:crypto";
import { z } from "zod";
import { parseForeign } from "#base/json.ts";
import { unsignedToken } from "#base/secrets.ts";
import { type FetchedToken, malformedKey, type SigningFault, type TokenSource } from "./signing.ts";

const account = z.object({
  project_id: z.string().min(1).max(100),
  client_email: z.string().min(1).max(300),
  private_key: z.string().min(1),
  private_key_id: z.string().max(200).default(""),
  token_uri: z.url().default("https://oauth2.googleapis.com/token"),
});

type GoogleAccount = z.output<typeof account>;

/** Reads the JSON of a service account. Undefined: it is none. */
export function readAccount(key: string): GoogleAccount | undefined {
  try {
    return account.parse(JSON.parse(key));
  } catch {
    return undefined;
  }
}

/** Returns which field the JSON of a service account lacks; empty: none. */
export function missingIn(key: string): string {
  const parsed = account.safeParse(parse(key));
  return parsed.success ? "" : String(parsed.error.issues[0]?.path[0] ?? "project_id");
}

const keyForm = "service-account JSON with a private_key in PEM";

const scope = "https://www.googleapis.com/auth/cloud-platform";

/** How long an assertion is valid, in seconds; Google allows an hour. */
const assertionSeconds = 3_600;

const tokenAnswer = z.object({
  access_token: z.string().min(1),
  expires_in: z.number().positive(),
});
const errorAnswer = z.object({ error: z.string(), error_description: z.string().default("") });

/** Returns an access token, which is kept until shortly before its end. */
export async function accessToken(
  from: GoogleAccount,
  tokens: TokenSource,
  nowMs: number,
): Promise<FetchedToken | SigningFault> {
  const name = `${from.client_email} ${from.private_key_id}`;
  return await tokens.get(name, async () => await requestToken(from, tokens, nowMs));
}

async function requestToken(
  from: GoogleAccount,
  tokens: TokenSource,
  nowMs: number,
): Promise<FetchedToken | SigningFault> {
  const assertion = makeAssertion(from, nowMs);
  if (assertion === undefined) return malformedKey(keyForm);
  const answer = await tokens.postForm(from.token_uri, {
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion,
  });
  if (!answer.ok) return { kind: "unsigned", reason: "token-missing", message: answer.reason };
  const body = parse(answer.text);
  const granted = tokenAnswer.safeParse(body);
  if (answer.status === 200 && granted.success) {
    const { access_token: token, expires_in: seconds } = granted.data;
    return { kind: "token", token, expiresMs: nowMs + seconds * 1_000 };
  }
  const refused = errorAnswer.safeParse(body);
  const message = refused.success
    ? refused.data.error_description || refused.data.error
    : `HTTP ${answer.status}`;
  const isRefused = answer.status === 400 || answer.status === 401 || answer.status === 403;
  return { kind: "unsigned", reason: isRefused ? "token-refused" : "token-missing", message };
}

/** Makes the signed assertion (RFC 7523). Undefined: the private key cannot be read. */
function makeAssertion(from: GoogleAccount, nowMs: number): string | undefined {
  const issuedAt = Math.floor(nowMs / 1_000);
  const header = { alg: "RS256", typ: "JWT", kid: from.private_key_id };
  const claims = {
    iss: from.client_email,
    scope,
    aud: from.token_uri,
    iat: issuedAt,
    exp: issuedAt + assertionSeconds,
  };
  const text = unsignedToken(header, claims);
  try {
    const key = createPrivateKey(from.private_key);
    return `${text}.${signBytes("sha256", Buffer.from(text), key).toString("base64url")}`;
  } catch {
    return undefined;
  }
}

function parse(text: string): unknown {
  try {
    return parseForeign(text);
  } catch {
    return undefined;
  }
}
