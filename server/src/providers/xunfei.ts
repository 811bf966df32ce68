import { bearer, openaiCompatible } from "./openai-compatible.ts";

/** The models that think have a path of their own. */
const thinkingModel = /^(spark-?)?x\d/i;

export const xunfei = openaiCompatible({
  id: "xunfei",
  label: "Xunfei Spark",
  type: 18,
  baseUrl: "https://spark-api-open.xf-yun.com",
  paths: { chat: "/v1/chat/completions" },
  adjustUrl: (url, { model }) =>
    thinkingModel.test(model) ? url.replace("/v1/chat/", "/v2/chat/") : url,
  // Streams end with usage without a request for it.
  asksForUsage: false,
  quirks: { maxTokensOnly: true, refusedFields: ["stream_options"] },
  authHeaders(key) {
    // The keys of the WebSocket API are valid here as well, without the app's id.
    const [, secret, apiKey] = key.split("|").map((part) => part.trim());
    return bearer(secret && apiKey ? `${apiKey}:${secret}` : key);
  },
  keyForm: "APIPassword, or APPID|APISecret|APIKey",
  defaultModels: ["lite", "generalv3", "pro-128k", "generalv3.5", "max-32k", "4.0Ultra", "x1"],
  source: "https://www.xfyun.cn/doc/spark/, known from excerpts",
});
