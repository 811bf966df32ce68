import { signToken } from "#base/secrets.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import { malformedKey, type Signer } from "./signing.ts";

const keyForm = "id.secret";

/** For how long a token is valid. */
const validMs = 30 * 60 * 1_000;

/** Sends a token in place of the key: a JWT with times in milliseconds. */
const sign: Signer = ({ format, key, nowMs, url }) => {
  const [id = "", secret = "", ...others] = key.trim().split(".");
  if (id === "" || secret === "" || others.length > 0) return malformedKey(keyForm);
  const times = { exp: nowMs + validMs, timestamp: nowMs };
  const token = signToken({ sign_type: "SIGN" }, { api_key: id, ...times }, secret);
  const authorization = format === "zhipu-v3" ? token : `Bearer ${token}`;
  return { kind: "signed", url, headers: { authorization } };
};

const model = "/api/paas/v3/model-api/{model}";

export const zhipu = openaiCompatible({
  id: "zhipu",
  label: "Zhipu ChatGLM",
  type: 16,
  baseUrl: "https://open.bigmodel.cn",
  // All later models have the fourth version of the API alone.
  models: /^(?!chatglm)/i,
  paths: { chat: "/api/paas/v4/chat/completions", embeddings: "/api/paas/v4/embeddings" },
  quirks: {
    thinkingSwitch: "thinking",
    maxTokensOnly: true,
    webSearch: "tool",
    reasoningField: "reasoning_content",
  },
  others: {
    "zhipu-v3": {
      models: /^chatglm/i,
      paths: { chat: `${model}/invoke` },
      streamPaths: { chat: `${model}/sse-invoke` },
      asksForUsage: false,
    },
  },
  authHeaders: () => ({}),
  sign,
  keyForm,
  defaultModels: ["chatglm_turbo", "chatglm_pro", "chatglm_std", "chatglm_lite", "glm-4-flash"],
  source: "base URL, paths and token as one-api compatible gateways ship them",
});
