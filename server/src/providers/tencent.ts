/**
 * Tencent's Hunyuan, whose requests are signed with TC3-HMAC-SHA256.
 * Documents: https://cloud.tencent.com/document/api/1729/101843 (read 2026-11-23).
 */

import { createHash, createHmac } from "node:crypto";
import type { Provider } from "./provider.ts";
import { readFault } from "./read-fault.ts";
import { malformedKey, type Signer } from "./signing.ts";

const keyForm = "AppId|SecretId|SecretKey, or SecretId|SecretKey";

const action = "ChatCompletions";
const version = "2023-09-01";
const algorithm = "TC3-HMAC-SHA256";
const service = "hunyuan";

const sign: Signer = ({ body, headers, key, nowMs, url }) => {
  const parts = key.split("|").map((part) => part.trim());
  const [secretId = "", secretKey = ""] = parts.slice(-2);
  if (parts.length < 2 || parts.length > 3 || secretId === "" || secretKey === "") {
    return malformedKey(keyForm);
  }
  const { host } = new URL(url);
  const seconds = String(Math.floor(nowMs / 1_000));
  const signed = {
    "content-type": headers["content-type"] ?? "application/json",
    host,
    "x-tc-action": action.toLowerCase(),
  };
  const names = Object.keys(signed).join(";");
  const lines = Object.entries(signed).map(([name, value]) => `${name}:${value}`);
  const request = ["POST", "/", "", ...lines, "", names, sha256(body)].join("\n");
  const day = new Date(nowMs).toISOString().slice(0, 10);
  const scope = `${day}/${service}/tc3_request`;
  const text = [algorithm, seconds, scope, sha256(Buffer.from(request))].join("\n");
  const dated = hmac(`TC3${secretKey}`, day);
  const signature = hmac(hmac(hmac(dated, service), "tc3_request"), text).toString("hex");
  const credential = `Credential=${secretId}/${scope}`;
  return {
    kind: "signed",
    url,
    headers: {
      authorization: `${algorithm} ${credential}, SignedHeaders=${names}, Signature=${signature}`,
      "x-tc-action": action,
      "x-tc-timestamp": seconds,
      "x-tc-version": version,
    },
  };
};

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

function hmac(key: string | Uint8Array, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

export const tencent: Provider = {
  id: "tencent",
  label: "Tencent Hunyuan",
  type: 23,
  baseUrl: "https://hunyuan.tencentcloudapi.com",
  formats: { "tencent-hunyuan": { paths: { chat: "/" }, asksForUsage: false } },
  modelsPath: null,
  authHeaders: () => ({}),
  sign,
  readFault,
  keyForm,
  otherForm: null,
  testable: true,
  defaultModels: ["hunyuan-turbos-latest", "hunyuan-t1-latest", "hunyuan-lite"],
  source: "https://cloud.tencent.com/document/api/1729/105701 (read 2026-11-23)",
};
