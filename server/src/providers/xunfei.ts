import { bearer, openaiCompatible } from "./openai-compatible.ts";

const chat = "/v1/chat/completions";

/** The models that think have a path of their own. */
const thinkingModel = /^(spark-?)?x\d/i;

/** A version of the HTTP address. Those of the WebSocket address, such as `v3.5`, are of no use here. */
const pathVersion = /^v\d$/;

export const xunfei = openaiCompatible({
  id: "xunfei",
  label: "Xunfei Spark",
  type: 18,
  baseUrl: "https://spark-api-open.xf-yun.com",
  paths: { chat },
  adjustUrl(url, { channel, model }) {
    const wanted = channel.other.trim();
    const suited = thinkingModel.test(model) ? "v2" : "v1";
    return url.replace(chat, chat.replace("v1", pathVersion.test(wanted) ? wanted : suited));
  },
  // Streams end with usage without a request for it.
  asksForUsage: false,
  quirks: { maxTokensOnly: true, refusedFields: ["stream_options"] },
  authHeaders(key) {
    // The keys of the WebSocket API are valid here as well, without the app's id.
    const [, secret, apiKey] = key.split("|").map((part) => part.trim());
    return bearer(secret && apiKey ? `${apiKey}:${secret}` : key);
  },
  keyForm: "APIPassword, or APPID|APISecret|APIKey",
  otherForm: "Version in the address, such as v1 or v2; empty: chosen by the model",
  defaultModels: ["lite", "generalv3", "pro-128k", "generalv3.5", "max-32k", "4.0Ultra", "x1"],
  source: "https://www.xfyun.cn/doc/spark/, known from excerpts",
});
