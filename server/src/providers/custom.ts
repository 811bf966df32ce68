import { openaiCompatible } from "./openai-compatible.ts";

export const custom = openaiCompatible({
  id: "custom",
  label: "Custom",
  type: 8,
  baseUrl: null,
  baseUrlForm: "Complete address of the call; {model} in it is replaced by the model",
  paths: { chat: "", completions: "", embeddings: "" },
  defaultModels: ["gpt-4o", "gpt-4o-mini"],
  source: "the specification: the base URL is the complete address, {model} in it is replaced",
});
