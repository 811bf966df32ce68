import type { ChannelFacts, Provider } from "./provider.ts";
import { readFault } from "./read-fault.ts";
import { accessToken, missingIn, readAccount } from "./google-account.ts";
import { malformedKey, type Signer } from "./signing.ts";
import { readWritten, writeAgain } from "./written-body.ts";

const keyForm = "service-account JSON, or an API key of Vertex AI in express mode";

const baseUrl = "https://aiplatform.googleapis.com";

/** What stands before the publisher in paths of express mode, which have no project. */
const plainPrefix = "/v1/publishers/";

/** The version of Messages that Vertex wants in the body. */
const claudeVersion = "vertex-2023-10-16";

/** The path of sessions of the Live API, which names neither project nor model. */
const livePath = "/ws/google.cloud.aiplatform.v1beta1.LlmBidiService/BidiGenerateContent";

const live = { models: /^(?!.*claude)/, paths: { realtime: livePath }, asksForUsage: false };

const sign: Signer = async ({ body, channel, format, key, model, nowMs, url }, tokens) => {
  const changed = format === "anthropic-messages" ? { body: toClaude(body) } : {};
  if (!key.startsWith("{")) {
    return { kind: "signed", url, headers: { "x-goog-api-key": key }, ...changed };
  }
  const account = readAccount(key);
  if (account === undefined) return malformedKey(keyForm);
  const token = await accessToken(account, tokens, nowMs);
  if (token.kind === "unsigned") return token;
  const region = regionOf(channel.other, model);
  const origin = channel.baseUrl === baseUrl ? originOf(region) : channel.baseUrl;
  const at = url.indexOf(plainPrefix);
  const place = `/v1/${placeOf(account, region)}/publishers/`;
  const path = url.endsWith(livePath) ? livePath : place + url.slice(at + plainPrefix.length);
  return {
    kind: "signed",
    url: origin + path,
    headers: { authorization: `Bearer ${token.token}` },
    ...changed,
  };
};

function placeOf({ project_id: project }: { readonly project_id: string }, region: string): string {
  return `projects/${encodeURIComponent(project)}/locations/${region}`;
}

/** Names a model in the first message of a session, which has the project in place of the path. */
function nameLiveModel(
  model: string,
  { channel, key }: { readonly channel: ChannelFacts; readonly key: string },
): string {
  const name = `publishers/google/models/${model}`;
  const account = key.startsWith("{") ? readAccount(key) : undefined;
  if (account === undefined) return name;
  return `${placeOf(account, regionOf(channel.other, model))}/${name}`;
}

const regionDefault = "global";

/** Reads the region of a model: the field is one region, or JSON with regions by model. */
function regionOf(other: string, model: string): string {
  const text = other.trim();
  const found = text.startsWith("{") ? readRegions(text, model) : text;
  // A region is a part of the host name, so it must not be anything else.
  return found.replaceAll(/[^a-z0-9-]/g, "") || regionDefault;
}

function readRegions(text: string, model: string): string {
  try {
    const regions: unknown = JSON.parse(text);
    const region: unknown = Object(regions)[model] ?? Object(regions)["default"];
    return typeof region === "string" ? region : "";
  } catch {
    return "";
  }
}

function originOf(region: string): string {
  return region === "global" ? baseUrl : `https://${region}-aiplatform.googleapis.com`;
}

/**
 * The path names the model, and the body the version, which elsewhere is a header. Context editing
 * goes only with a word of the header `anthropic-beta`, which Vertex does not get.
 */
function toClaude(bytes: Uint8Array): Uint8Array {
  const { model: _, context_management: __, ...body } = readWritten(bytes);
  return writeAgain({ anthropic_version: claudeVersion, ...body });
}

export const vertex: Provider = {
  id: "vertex",
  traceName: "gcp.vertex_ai",
  label: "Google Vertex AI",
  type: 41,
  baseUrl,
  formats: {
    "gemini-generate": {
      models: /^(?!.*claude)/,
      paths: { chat: "/v1/publishers/google/models/{model}:generateContent" },
      streamPaths: { chat: "/v1/publishers/google/models/{model}:streamGenerateContent?alt=sse" },
      asksForUsage: false,
      // Vertex takes the service tier in a header.
      quirks: { refusedFields: ["serviceTier"] },
    },
    "gemini-live": live,
    "gemini-live-alpha": live,
    "gemini-live-vertex": live,
    "anthropic-messages": {
      models: /claude/,
      paths: { chat: "/v1/publishers/anthropic/models/{model}:rawPredict" },
      streamPaths: { chat: "/v1/publishers/anthropic/models/{model}:streamRawPredict" },
      asksForUsage: false,
      quirks: { refusedFields: ["service_tier"] },
    },
  },
  modelsPath: null,
  authHeaders: () => ({}),
  sign,
  nameLiveModel,
  readFault,
  keyForm,
  missingIn: (key) => (key.startsWith("{") ? missingIn(key) : ""),
  otherForm: 'Region, or JSON of regions by model: {"default":"global","<model>":"us-east5"}',
  testable: true,
  defaultModels: [
    "gemini-3-pro-preview",
    "gemini-2.5-pro",
    "gemini-2.5-flash",
    "claude-sonnet-4-5@20250929",
  ],
  source:
    "https://cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude/use-claude; npm " +
    "package @google/genai 3.1; recorded answers in server/test/fixtures/recordings",
};
