import { bearer } from "./openai-compatible.ts";
import type { Provider } from "./provider.ts";
import { readFault } from "./read-fault.ts";
import type { Signer } from "./signing.ts";
import { readWritten, writeAgain } from "./written-body.ts";

/** Adds the knowledge base that is asked, which the channel names. */
const sign: Signer = ({ body, channel, key, url }) => {
  const bytes = writeAgain({ ...readWritten(body), libraryId: channel.other.trim() });
  return { kind: "signed", url, headers: bearer(key), body: bytes };
};

export const aiProxyLibrary: Provider = {
  id: "ai-proxy-library",
  label: "AI Proxy knowledge base",
  type: 21,
  baseUrl: "https://api.aiproxy.io",
  formats: {
    "aiproxy-library": { paths: { chat: "/api/library/ask" }, asksForUsage: false },
  },
  modelsPath: null,
  authHeaders: bearer,
  sign,
  readFault,
  keyForm: "API key",
  otherForm: "Id of the knowledge base",
  testable: true,
  defaultModels: ["gpt-4o", "gpt-4o-mini"],
  source: "base URL and path as one-api compatible gateways ship them",
};
