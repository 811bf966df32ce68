import { openaiCompatible, v1Paths } from "./openai-compatible.ts";

export const ollama = openaiCompatible({
  id: "ollama",
  label: "Ollama",
  type: 4,
  baseUrl: "http://localhost:11434",
  paths: v1Paths,
  others: { ollama: { paths: { chat: "/api/chat" }, asksForUsage: false } },
  modelsPath: "/v1/models",
  keyForm: "Any text; servers of one's own take no key",
  defaultModels: ["gpt-oss:20b", "qwen3", "llama3.2"],
  source:
    "https://docs.ollama.com/api/chat; recorded answers in server/test/fixtures/recordings/ollama; " +
    "base URL as one-api compatible gateways ship it",
});
