/**
 * Signs requests to Amazon Web Services: Signature Version 4.
 * Documents: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
 * (read 2026-11-23).
 */

import { createHash, createHmac } from "node:crypto";

export type AwsCredentials = {
  readonly accessKey: string;
  readonly secretKey: string;
  /** Empty: the credentials are not temporary. */
  readonly sessionToken: string;
  readonly region: string;
};

type AwsRequest = {
  readonly method: "GET" | "POST";
  readonly url: string;
  /** The headers that are signed, `host` among them. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly service: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
};

const algorithm = "AWS4-HMAC-SHA256";

/** Returns the headers to add to a request. */
export function signAws(
  { accessKey, secretKey, sessionToken, region }: AwsCredentials,
  { method, url, headers, body, service, nowMs }: AwsRequest,
): Readonly<Record<string, string>> {
  const time = new Date(nowMs).toISOString().replaceAll(/[:-]|\.\d{3}/g, "");
  const day = time.slice(0, 8);
  const added = {
    "x-amz-date": time,
    ...(sessionToken === "" ? {} : { "x-amz-security-token": sessionToken }),
  };
  const signed = Object.entries({ ...headers, ...added }).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(";");
  const { pathname, searchParams } = new URL(url);
  const canonical = [
    method,
    canonicalPath(pathname),
    canonicalQuery(searchParams),
    ...signed.map(([name, value]) => `${name}:${value.trim().replaceAll(/ +/g, " ")}`),
    "",
    names,
    sha256(body),
  ].join("\n");
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = [algorithm, time, scope, sha256(Buffer.from(canonical))].join("\n");
  const key = [day, region, service, "aws4_request"].reduce<string | Uint8Array>(
    (secret, part) => hmac(secret, part),
    `AWS4${secretKey}`,
  );
  const signature = Buffer.from(hmac(key, text)).toString("hex");
  const credential = `Credential=${accessKey}/${scope}`;
  const authorization = `${algorithm} ${credential}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...added, authorization };
}

/** Each segment is encoded once more than it is in the URL. */
function canonicalPath(path: string): string {
  return path.split("/").map(encode).join("/");
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join("&");
}

/** Encodes all but letters, digits and `-._~`. */
function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function hmac(key: string | Uint8Array, text: string): Uint8Array {
  return createHmac("sha256", key).update(text).digest();
}
