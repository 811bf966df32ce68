import type { Provider } from "./provider.ts";
import { readFault } from "./read-fault.ts";

export const vertex: Provider = {
  id: "vertex",
  traceName: "gcp.vertex_ai",
  label: "Google Vertex AI",
  type: 41,
  baseUrl: "https://aiplatform.googleapis.com",
  formats: {
    "gemini-generate": {
      paths: { chat: "/v1/publishers/google/models/{model}:generateContent" },
      streamPaths: { chat: "/v1/publishers/google/models/{model}:streamGenerateContent?alt=sse" },
      asksForUsage: false,
    },
  },
  modelsPath: null,
  authHeaders: (key) => ({ "x-goog-api-key": key }),
  readFault,
  keyForm: "API key of Vertex AI in express mode",
  otherForm: null,
  testable: true,
  defaultModels: ["gemini-3-pro-preview", "gemini-2.5-pro", "gemini-2.5-flash"],
  source: "npm package @google/genai 3.1; recorded answers in server/test/fixtures/recordings",
};
