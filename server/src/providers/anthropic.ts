import type { Provider } from "./provider.ts";
import { readFault } from "./read-fault.ts";

/** The version of the API that requests without one of their own get. */
const version = "2023-06-01";

export const anthropic: Provider = {
  id: "anthropic",
  label: "Anthropic",
  type: 14,
  baseUrl: "https://api.anthropic.com",
  formats: {
    "anthropic-messages": {
      paths: { chat: "/v1/messages" },
      countPath: "/v1/messages/count_tokens",
      asksForUsage: false,
      takesBetas: true,
    },
  },
  modelsPath: "/v1/models",
  authHeaders: (key) => ({ "x-api-key": key, "anthropic-version": version }),
  readFault,
  keyForm: "API key (sk-ant-…)",
  otherForm: null,
  testable: true,
  defaultModels: [
    "claude-opus-4-5",
    "claude-sonnet-4-5",
    "claude-haiku-4-5",
    "claude-opus-4-1",
    "claude-sonnet-4-0",
  ],
  source: "npm package @anthropic-ai/sdk 1.11; recorded answers in server/test/fixtures/recordings",
};
