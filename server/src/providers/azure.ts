import { mediaFormats } from "./openai-compatible.ts";
import type { Provider } from "./provider.ts";
import { readFault } from "./read-fault.ts";

/** The version of the API for channels that name none. */
const version = "2024-10-21";

/** Paths below this prefix have no version in the query. */
const newerPrefix = "/openai/v1/";

export const azure: Provider = {
  id: "azure",
  traceName: "azure.ai.openai",
  label: "Azure OpenAI",
  type: 3,
  baseUrl: null,
  formats: {
    "openai-chat": {
      paths: {
        chat: "/openai/deployments/{model}/chat/completions",
        completions: "/openai/deployments/{model}/completions",
        embeddings: "/openai/deployments/{model}/embeddings",
      },
      asksForUsage: true,
    },
    ...mediaFormats({
      "image-edits": "/openai/deployments/{model}/images/edits",
      images: "/openai/deployments/{model}/images/generations",
      realtime: `${newerPrefix}realtime?model={model}`,
      speech: "/openai/deployments/{model}/audio/speech",
      transcriptions: "/openai/deployments/{model}/audio/transcriptions",
      translations: "/openai/deployments/{model}/audio/translations",
    }),
    "openai-responses": {
      paths: { chat: `${newerPrefix}responses` },
      asksForUsage: false,
      takesCacheKey: true,
    },
    "openai-compact": {
      paths: { compact: `${newerPrefix}responses/compact` },
      asksForUsage: false,
    },
  },
  modelsPath: null,
  adjustUrl(url, { channel: { other } }) {
    if (url.includes(newerPrefix)) return url;
    return `${url}?api-version=${encodeURIComponent(other === "" ? version : other)}`;
  },
  authHeaders: (key) => ({ "api-key": key }),
  readFault,
  baseUrlForm: "https://<resource>.openai.azure.com; name each deployment like its model",
  keyForm: "API key",
  otherForm: `API version, for example ${version}`,
  testable: true,
  defaultModels: ["gpt-4o", "gpt-4o-mini", "gpt-4.1", "o4-mini", "text-embedding-3-small"],
  source: "Azure OpenAI REST API reference; recorded answers in server/test/fixtures/recordings",
};
