/** Signs requests for tests, as the providers describe it. */

import { createHash, createHmac } from "node:crypto";
import { demoSecret } from "./providers/provider.ts";

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text);

/** Makes a token of Zhipu's for the demo's account. */
export function zhipuToken({ secret = demoSecret, lifeMs = 60_000 } = {}): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = { api_key: "id", exp: Date.now() + lifeMs, timestamp: Date.now() };
  const text = `${part({ alg: "HS256", sign_type: "SIGN" })}.${part(claims)}`;
  return `${text}.${hmac(secret, text).digest("base64url")}`;
}

/** Makes the headers of a call of Tencent's. */
export function tencentHeaders(
  host: string,
  body: string,
  { secret = demoSecret, agoSeconds = 0 } = {},
): Record<string, string> {
  const seconds = Math.floor(Date.now() / 1_000) - agoSeconds;
  const day = new Date(seconds * 1_000).toISOString().slice(0, 10);
  const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");
  const lines = ["content-type:application/json", `host:${host}`, ""];
  const request = ["POST", "/", "", ...lines, "content-type;host", sha256(body)].join("\n");
  const scope = `${day}/hunyuan/tc3_request`;
  const text = ["TC3-HMAC-SHA256", seconds, scope, sha256(request)].join("\n");
  const dated = hmac(hmac(`TC3${secret}`, day).digest(), "hunyuan").digest();
  const signature = hmac(hmac(dated, "tc3_request").digest(), text).digest("hex");
  return {
    authorization: `TC3-HMAC-SHA256 Credential=AKDEMO/${scope}, SignedHeaders=content-type;host, Signature=${signature}`,
    "content-type": "application/json",
    "x-tc-action": "ChatCompletions",
    "x-tc-timestamp": String(seconds),
    "x-tc-version": "2023-09-01",
  };
}

/** Makes the signed query string of an address of Spark's. */
export function sparkQuery(host: string, path: string, { secret = demoSecret } = {}): string {
  const date = new Date().toUTCString();
  const text = `host: ${host}\ndate: ${date}\nGET ${path} HTTP/1.1`;
  const signature = hmac(secret, text).digest("base64");
  const claims = `api_key="key", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`;
  const authorization = Buffer.from(claims).toString("base64");
  return new URLSearchParams({ authorization, date, host }).toString();
}
