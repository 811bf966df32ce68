import { bearer } from "./openai-compatible.ts";
import type { Provider } from "./provider.ts";
import { readFault } from "./read-fault.ts";

export const cohere: Provider = {
  id: "cohere",
  label: "Cohere",
  type: 34,
  baseUrl: "https://api.cohere.ai",
  formats: {
    "cohere-v2": { paths: { chat: "/v2/chat" }, asksForUsage: false },
    "cohere-vectors": { paths: { embeddings: "/v2/embed" }, asksForUsage: false },
    "cohere-rerank": { paths: { rerank: "/v2/rerank" }, asksForUsage: false },
    "cohere-v1": { paths: { chat: "/v1/chat" }, asksForUsage: false },
  },
  modelsPath: "/v1/models?page_size=1000",
  authHeaders: bearer,
  readFault,
  keyForm: "API key",
  otherForm: null,
  testable: true,
  defaultModels: ["command-a-03-2025", "command-a-reasoning-08-2025", "command-r7b-12-2024"],
  source:
    "https://docs.cohere.com/reference/chat; recorded answers in " +
    "server/test/fixtures/recordings/cohere",
};
