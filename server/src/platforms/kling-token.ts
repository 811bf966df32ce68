import { signToken } from "#base/secrets.ts";

/** For how long a token is valid, and how much earlier it begins, in seconds. */
const validSeconds = 1_800;
const earlySeconds = 5;

/**
 * Makes the token of a request from `access key|secret key`: a JWT signed with HS256. Any other key
 * is sent as it is, because gateways in front of Kling have keys of their own.
 */
export function klingToken(key: string, nowSeconds: number): string {
  const [access = "", secret = ""] = key.split("|");
  if (access === "" || secret === "") return key;
  const times = { exp: nowSeconds + validSeconds, nbf: nowSeconds - earlySeconds };
  return signToken({ typ: "JWT" }, { iss: access, ...times }, secret);
}
