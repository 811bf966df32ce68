import { multimodalModel } from "#formats/shared/upstream/dashscope-models.ts";
import { bearer, openaiCompatible } from "./openai-compatible.ts";

const generation = "/api/v1/services/aigc/text-generation/generation";
const multimodal = "/api/v1/services/aigc/multimodal-generation/generation";

export const ali = openaiCompatible({
  id: "ali",
  label: "Ali Tongyi",
  type: 17,
  baseUrl: "https://dashscope.aliyuncs.com",
  paths: {
    chat: "/compatible-mode/v1/chat/completions",
    completions: "/compatible-mode/v1/completions",
    embeddings: "/compatible-mode/v1/embeddings",
  },
  others: {
    dashscope: { paths: { chat: generation }, asksForUsage: false },
    "dashscope-rerank": {
      paths: { rerank: "/api/v1/services/rerank/text-rerank/text-rerank" },
      asksForUsage: false,
    },
  },
  adjustUrl: (url, { format, model }) =>
    format === "dashscope" && multimodalModel.test(model)
      ? url.replace(generation, multimodal)
      : url,
  quirks: { thinkingSwitch: "enable_thinking", webSearch: "enable_search" },
  modelsPath: "/compatible-mode/v1/models",
  authHeaders: (key, { other }) =>
    other === "" ? bearer(key) : { ...bearer(key), "x-dashscope-plugin": other },
  otherForm: "Plugin parameter, sent as X-DashScope-Plugin",
  defaultModels: ["qwen-max", "qwen-plus", "qwen-turbo", "text-embedding-v4"],
  source:
    "https://help.aliyun.com/en/model-studio/embedding-interfaces-compatible-with-openai; " +
    "recorded answers in server/test/fixtures/recordings/alibaba",
});
