import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const mistral = openaiCompatible({
  id: "mistral",
  traceName: "mistral_ai",
  label: "Mistral",
  type: 42,
  baseUrl: "https://api.mistral.ai",
  paths: { chat: v1Paths.chat, embeddings: v1Paths.embeddings },
  mediaPaths: {
    moderations: "/v1/moderations",
    transcriptions: "/v1/audio/transcriptions",
  },
  modelsPath: "/v1/models",
  // Mistral sends usage with the last event without a request for it, and some versions refuse
  // unknown fields.
  asksForUsage: false,
  quirks: {
    toolIds: "nine",
    requiredChoice: "any",
    maxTokensOnly: true,
    refusedFields: ["stream_options", "user", "logit_bias", "logprobs", "top_logprobs"],
  },
  defaultModels: [
    "mistral-large-latest",
    "mistral-medium-latest",
    "mistral-small-latest",
    "mistral-embed",
  ],
  source:
    "recorded answers in server/test/fixtures/recordings/mistral; " +
    "base URL as one-api compatible gateways ship it",
});
