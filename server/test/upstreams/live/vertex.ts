/**
 * What Vertex has in place of Google AI's API keys and names: access tokens for service accounts,
 * and models with their project in the first message of a session. The signature of an assertion is
 * not checked, because no public key is known here.
 * Sources: https://developers.google.com/identity/protocols/oauth2/service-account and npm package
 * @google/genai 2.32 (`live.connect`).
 */

import { isObject, type JsonObject, parseObject } from "@tollgate/demo/json.ts";
import type { DemoRequest } from "@tollgate/demo/request-parser.ts";

const vertexPath =
  /\/ws\/google\.cloud\.aiplatform\.v1(?:beta1)?\.LlmBidiService\/BidiGenerateContent$/;

/** Whether a session of Vertex is asked for. */
export function isVertexLivePath(path: string): boolean {
  return vertexPath.test(path);
}

const tokenPrefix = "ya29.demo.";
const tokenSeconds = 3_599;

/** The longest that an assertion may be valid, in seconds. */
const assertionSecondsMax = 3_600;

/** Answers a request for an access token. Undefined: the request is for something else. */
export function googleToken({ body, method, path }: DemoRequest, nowMs: number) {
  if (method !== "POST" || path !== "/token") return undefined;
  const fields = new URLSearchParams(body);
  const refuse = (error_description: string) => ({
    status: 400,
    body: { error: "invalid_grant", error_description },
  });
  if (fields.get("grant_type") !== "urn:ietf:params:oauth:grant-type:jwt-bearer") {
    return refuse("the grant type is wrong");
  }
  const [head = "", claims = "", signature = ""] = (fields.get("assertion") ?? "").split(".");
  const { aud, exp, iat, iss, scope } = readPart(claims);
  const seconds = nowMs / 1_000;
  const isNow =
    typeof iat === "number" &&
    typeof exp === "number" &&
    exp > seconds &&
    exp - iat <= assertionSecondsMax;
  const isSigned = readPart(head)["alg"] === "RS256" && signature !== "";
  if (!isSigned) return refuse("Invalid JWT Signature.");
  if (!isNow) return refuse("Invalid JWT: Token must be a short-lived token.");
  if (typeof aud !== "string" || !aud.endsWith("/token")) return refuse("Invalid JWT: aud.");
  if (typeof scope !== "string" || !scope.includes("cloud-platform")) return refuse("no scope");
  if (typeof iss !== "string" || iss === "") return refuse("Invalid grant: account not found");
  return {
    status: 200,
    body: { access_token: tokenPrefix + iss, expires_in: tokenSeconds, token_type: "Bearer" },
  };
}

function readPart(part: string): JsonObject {
  return parseObject(Buffer.from(part, "base64url").toString()) ?? {};
}

/** Whether this upstream issued the bearer token. */
export function isAccessToken(bearer: string): boolean {
  return bearer.startsWith(tokenPrefix);
}

const plainName = /^publishers\/google\/models\/([^/]+)$/;
const wholeName = /^projects\/[^/]+\/locations\/[^/]+\/publishers\/google\/models\/([^/]+)$/;

/** Reads the model that a first message names. Empty: it is not named as its kind of key demands. */
export function vertexModel(named: string, isAccount: boolean): string {
  return (isAccount ? wholeName : plainName).exec(named)?.[1] ?? "";
}

/** Says what is wrong with a message that only Google AI would take; empty: nothing is. */
export function wrongForVertex(message: JsonObject): string {
  const content = message["clientContent"];
  const turns = isObject(content) && Array.isArray(content["turns"]) ? content["turns"] : [];
  return turns.every((turn) => typeof Object(turn).role === "string")
    ? ""
    : "Please use a valid role: user, model.";
}
