import { createHmac } from "node:crypto";

/** For how long a token is valid, and how much earlier it begins, in seconds. */
const validSeconds = 1_800;
const earlySeconds = 5;

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/**
 * Makes the token of a request from `access key|secret key`: a JWT signed with HS256. Any other key
 * is sent as it is, because gateways in front of Kling have keys of their own.
 */
export function klingToken(key: string, nowSeconds: number): string {
  const [access = "", secret = ""] = key.split("|");
  if (access === "" || secret === "") return key;
  const head = part({ alg: "HS256", typ: "JWT" });
  const times = { exp: nowSeconds + validSeconds, nbf: nowSeconds - earlySeconds };
  const signed = `${head}.${part({ iss: access, ...times })}`;
  return `${signed}.${createHmac("sha256", secret).update(signed).digest("base64url")}`;
}
