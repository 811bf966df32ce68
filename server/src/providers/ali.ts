import { bearer, openaiCompatible } from "./openai-compatible.ts";

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
  modelsPath: "/compatible-mode/v1/models",
  authHeaders: (key, { other }) =>
    other === "" ? bearer(key) : { ...bearer(key), "x-dashscope-plugin": other },
  otherForm: "Plugin parameter, sent as X-DashScope-Plugin",
  defaultModels: ["qwen-max", "qwen-plus", "qwen-turbo", "text-embedding-v4"],
  source:
    "https://help.aliyun.com/en/model-studio/embedding-interfaces-compatible-with-openai; " +
    "recorded answers in server/test/fixtures/recordings/alibaba",
});
