import { type AwsCredentials, signAws } from "./aws-signature.ts";
import type { Provider } from "./provider.ts";
import { readFault } from "./read-fault.ts";
import { malformedKey, type Signer } from "./signing.ts";

const keyForm =
  "AccessKeyId|SecretAccessKey|Region, with |SessionToken behind it if temporary, or APIKey|Region";

/** The host of a region; channels without a base URL call that of their key's region. */
const hostOf = (region: string): string => `https://bedrock-runtime.${region}.amazonaws.com`;

const baseUrl = hostOf("us-east-1");

type Key = { readonly region: string; readonly apiKey: string } | AwsCredentials;

function readKey(key: string): Key | undefined {
  const parts = key.split("|").map((part) => part.trim());
  if (parts.some((part) => part === "")) return undefined;
  const [first = "", second = "", region = "", sessionToken = ""] = parts;
  if (parts.length === 2) return isRegion(second) ? { apiKey: first, region: second } : undefined;
  if (parts.length > 4 || !isRegion(region)) return undefined;
  return { accessKey: first, secretKey: second, region, sessionToken };
}

/** A region becomes a part of the host name, so it must not be anything else. */
function isRegion(text: string): boolean {
  return /^[a-z]{2,4}(-[a-z]+)+-\d{1,2}$/.test(text);
}

const sign: Signer = ({ body, channel, headers, key, nowMs, url }) => {
  const read = readKey(key);
  if (read === undefined) return malformedKey(keyForm);
  const at = channel.baseUrl === baseUrl ? hostOf(read.region) + url.slice(baseUrl.length) : url;
  if ("apiKey" in read) {
    return { kind: "signed", url: at, headers: { authorization: `Bearer ${read.apiKey}` } };
  }
  const { host } = new URL(at);
  const type = headers["content-type"] ?? "application/json";
  const added = signAws(read, {
    method: "POST",
    url: at,
    headers: { "content-type": type, host },
    body,
    service: "bedrock",
    nowMs,
  });
  return { kind: "signed", url: at, headers: added };
};

export const bedrock: Provider = {
  id: "bedrock",
  traceName: "aws.bedrock",
  label: "AWS Bedrock",
  type: 33,
  baseUrl,
  formats: {
    "bedrock-converse": {
      paths: { chat: "/model/{model}/converse" },
      streamPaths: { chat: "/model/{model}/converse-stream" },
      asksForUsage: false,
    },
    "bedrock-invoke": {
      paths: { chat: "/model/{model}/invoke" },
      streamPaths: { chat: "/model/{model}/invoke-with-response-stream" },
      asksForUsage: false,
    },
  },
  modelsPath: null,
  authHeaders: () => ({}),
  sign,
  readFault,
  baseUrlForm: "Empty: the address of the key's region",
  keyForm,
  otherForm: null,
  testable: true,
  defaultModels: [
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    "us.anthropic.claude-haiku-4-5-20251001-v1:0",
    "us.amazon.nova-pro-v1:0",
    "us.amazon.nova-lite-v1:0",
  ],
  source:
    "https://docs.aws.amazon.com/bedrock/latest/APIReference/; recorded answers in " +
    "server/test/fixtures/recordings/bedrock",
};
