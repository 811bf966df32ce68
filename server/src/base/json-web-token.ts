/** JSON Web Tokens (RFC 7519) with which the gateway proves to a server who it is. */

import { createHmac } from "node:crypto";

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

/** Returns the text that a token's signature is made of. */
export function unsignedToken(header: object, claims: object): string {
  return `${encode(header)}.${encode(claims)}`;
}

/** Makes a token signed with HS256. `header` is added to the algorithm's name. */
export function signToken(header: object, claims: object, secret: string): string {
  const text = unsignedToken({ alg: "HS256", ...header }, claims);
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}
