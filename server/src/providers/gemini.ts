import type { Provider } from "./provider.ts";
import { readFault } from "./read-fault.ts";

/** The path of sessions of the Live API. */
const livePath = (version: string): string =>
  `/ws/google.ai.generativelanguage.${version}.GenerativeService.BidiGenerateContent`;

export const gemini: Provider = {
  id: "gemini",
  traceName: "gcp.gemini",
  label: "Google Gemini",
  type: 24,
  baseUrl: "https://generativelanguage.googleapis.com",
  formats: {
    "gemini-vectors": {
      paths: { embeddings: "/v1beta/models/{model}:batchEmbedContents" },
      asksForUsage: false,
    },
    "gemini-vector": {
      paths: { embeddings: "/v1beta/models/{model}:embedContent" },
      asksForUsage: false,
    },
    "gemini-generate": {
      paths: { chat: "/v1beta/models/{model}:generateContent" },
      countPath: "/v1beta/models/{model}:countTokens",
      streamPaths: { chat: "/v1beta/models/{model}:streamGenerateContent?alt=sse" },
      asksForUsage: false,
    },
    "gemini-live": { paths: { realtime: livePath("v1beta") }, asksForUsage: false },
    "gemini-live-alpha": { paths: { realtime: livePath("v1alpha") }, asksForUsage: false },
    // Clients of Vertex ask for the same; only the names of some counts differ.
    "gemini-live-vertex": { paths: { realtime: livePath("v1beta") }, asksForUsage: false },
  },
  modelsPath: "/v1beta/models?pageSize=1000",
  authHeaders: (key) => ({ "x-goog-api-key": key }),
  readFault,
  keyForm: "API key (AIza…)",
  otherForm: null,
  testable: true,
  defaultModels: ["gemini-3-pro-preview", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.0-flash"],
  source: "npm package @google/genai 3.1; recorded answers in server/test/fixtures/recordings",
};
