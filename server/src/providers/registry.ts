import { ai01 } from "./01-ai.ts";
import { ai360 } from "./360-ai.ts";
import { aiProxyLibrary } from "./ai-proxy-library.ts";
import { aiProxy } from "./ai-proxy.ts";
import { aigc2d } from "./aigc2d.ts";
import { ails } from "./ails.ts";
import { ali } from "./ali.ts";
import { anthropic } from "./anthropic.ts";
import { api2gpt } from "./api2gpt.ts";
import { azure } from "./azure.ts";
import { baiduV2 } from "./baidu-v2.ts";
import { baidu } from "./baidu.ts";
import { bedrock } from "./bedrock.ts";
import { cerebras } from "./cerebras.ts";
import { cloudflare } from "./cloudflare.ts";
import { cohere } from "./cohere.ts";
import { coze } from "./coze.ts";
import { custom } from "./custom.ts";
import { deepgram } from "./deepgram.ts";
import { deepseek } from "./deepseek.ts";
import { dify } from "./dify.ts";
import { elevenlabs } from "./elevenlabs.ts";
import { fastgpt } from "./fastgpt.ts";
import { fireworks } from "./fireworks.ts";
import { gemini } from "./gemini.ts";
import { groq } from "./groq.ts";
import { huggingFace } from "./hugging-face.ts";
import { jina } from "./jina.ts";
import { llamaCpp } from "./llama-cpp.ts";
import { lmStudio } from "./lm-studio.ts";
import { minimax } from "./minimax.ts";
import { mistral } from "./mistral.ts";
import { moka } from "./moka.ts";
import { moonshot } from "./moonshot.ts";
import { nvidia } from "./nvidia.ts";
import { ohmygpt } from "./ohmygpt.ts";
import { ollama } from "./ollama.ts";
import { openai } from "./openai.ts";
import { openaimax } from "./openaimax.ts";
import { openrouter } from "./openrouter.ts";
import { palm } from "./palm.ts";
import { perplexity } from "./perplexity.ts";
import type { Provider } from "./provider.ts";
import { sglang } from "./sglang.ts";
import { siliconcloud } from "./siliconcloud.ts";
import { submodel } from "./submodel.ts";
import { tencent } from "./tencent.ts";
import { together } from "./together.ts";
import { unspecified } from "./unspecified.ts";
import { taskProviders } from "./task-channels.ts";
import { vertex } from "./vertex.ts";
import { vllm } from "./vllm.ts";
import { volcengine } from "./volcengine.ts";
import { voyage } from "./voyage.ts";
import { xai } from "./xai.ts";
import { xinference } from "./xinference.ts";
import { xunfei } from "./xunfei.ts";
import { zhipuV4 } from "./zhipu-v4.ts";
import { zhipu } from "./zhipu.ts";

/** Every provider, one line each, sorted. A channel names its provider by the number in `type`. */
export const providers = {
  "01-ai": ai01,
  "360-ai": ai360,
  "ai-proxy": aiProxy,
  "ai-proxy-library": aiProxyLibrary,
  aigc2d,
  ails,
  ali,
  anthropic,
  api2gpt,
  azure,
  baidu,
  "baidu-v2": baiduV2,
  bedrock,
  cerebras,
  cloudflare,
  cohere,
  coze,
  custom,
  deepgram,
  deepseek,
  dify,
  elevenlabs,
  fastgpt,
  fireworks,
  gemini,
  groq,
  "hugging-face": huggingFace,
  jina,
  "llama-cpp": llamaCpp,
  "lm-studio": lmStudio,
  minimax,
  mistral,
  moka,
  moonshot,
  nvidia,
  ohmygpt,
  ollama,
  openai,
  openaimax,
  openrouter,
  palm,
  perplexity,
  sglang,
  siliconcloud,
  submodel,
  tencent,
  together,
  unspecified,
  vertex,
  vllm,
  volcengine,
  voyage,
  xai,
  xinference,
  xunfei,
  zhipu,
  "zhipu-v4": zhipuV4,
} as const satisfies Record<string, Provider>;

/** Returns every provider that a channel can have, those of tasks included. */
export function listProviders(): readonly Provider[] {
  return [...Object.values<Provider>(providers), ...taskProviders];
}

const byType: ReadonlyMap<number, Provider> = new Map(
  listProviders().map((provider) => [provider.type, provider]),
);

/**
 * Returns the provider for a channel's `type`. Undefined: this version does not know the number.
 */
export function findProvider(type: number): Provider | undefined {
  return byType.get(type);
}
