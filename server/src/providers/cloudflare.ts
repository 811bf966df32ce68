import { openaiCompatible } from "./openai-compatible.ts";

export const cloudflare = openaiCompatible({
  id: "cloudflare",
  label: "Cloudflare",
  type: 39,
  baseUrl: "https://api.cloudflare.com",
  paths: {
    chat: "/client/v4/accounts/{other}/ai/v1/chat/completions",
    embeddings: "/client/v4/accounts/{other}/ai/v1/embeddings",
  },
  keyForm: "API token with the right to run Workers AI",
  otherForm: "Account ID",
  defaultModels: [
    "@cf/meta/llama-3.1-8b-instruct",
    "@cf/qwen/qwen1.5-14b-chat-awq",
    "@cf/baai/bge-base-en-v1.5",
  ],
  source: "base URL and paths as one-api compatible gateways ship them",
});
