import { expect, test } from "bun:test";
import { catalogueReader } from "./open-catalogue.ts";

const catalogue = await catalogueReader("", { error: () => {} })();

/**
 * Names of models by the channels that offer them, each with the entry of the catalogue that it means:
 * a provider and its entry; after `~` what only the vendor asks; `-`: no entry.
 */
const table = `
14 -
  claude-opus-5-5 anthropic/claude-opus-5-5
  claude-opus-5-5-20261001 anthropic/claude-opus-5-5
  claude-opus-5.5 anthropic/claude-opus-5-5
  claude-opus-5 anthropic/claude-opus-5
  claude-opus-5-latest anthropic/claude-opus-5
  claude-opus-4-8 anthropic/claude-opus-4-8
  claude-opus-4-7 anthropic/claude-opus-4-7
  claude-opus-4-1 anthropic/claude-opus-4-1
  claude-opus-4-1-20250805 anthropic/claude-opus-4-1
  claude-opus-4-20250514 anthropic/claude-opus-4-0
  claude-opus-4 anthropic/claude-opus-4-0
  claude-sonnet-5 anthropic/claude-sonnet-5
  claude-sonnet-5-20260801 anthropic/claude-sonnet-5
  claude-sonnet-4-6 anthropic/claude-sonnet-4-6
  claude-sonnet-4-5-20250929 anthropic/claude-sonnet-4-5
  claude-sonnet-4 anthropic/claude-sonnet-4-0
  claude-sonnet-4-20250514 anthropic/claude-sonnet-4-0
  claude-haiku-4-5 anthropic/claude-haiku-4-5
  claude-haiku-4-5-20251001 anthropic/claude-haiku-4-5
  claude-3-7-sonnet-latest anthropic/claude-3-7-sonnet-latest
  claude-3-7-sonnet-20250219 anthropic/claude-3-7-sonnet-latest
  claude-3-5-sonnet-20241022 anthropic/claude-3-5-sonnet
  claude-3-5-haiku-latest anthropic/claude-3-5-haiku-latest
  claude-3-haiku-20240307 anthropic/claude-3-haiku
  claude-3-opus-20240229 anthropic/claude-3-opus-latest
  anthropic/claude-opus-5 anthropic/claude-opus-5
  claude-fable-5 anthropic/claude-fable-5
  claude-fable-5-1 anthropic/claude-fable-5-1
  claude-fable-5-2 -
  claude-opus-5-5-fast -
  claude-opus-6 -
  claude-sonnet-5-thinking -
  claude-haiku -
  claude-instant-1.2 -
  claude -
  gpt-5 -
1 -
  gpt-4o openai/gpt-4o
  gpt-4o-2024-11-20 openai/gpt-4o
  gpt-4o-2024-05-13 openai/gpt-4o-2024-05-13
  gpt-4o-mini openai/gpt-4o-mini
  gpt-4o-mini-2024-07-18 openai/gpt-4o-mini
  gpt-4o-mini-audio-preview openai/gpt-4o-mini-audio-preview
  gpt-4o-mini-audio-preview-2024-12-17 openai/gpt-4o-mini-audio-preview
  gpt-4o-audio-preview openai/gpt-4o-audio-preview
  gpt-4o-audio-preview-2025-06-03 openai/gpt-4o-audio-preview
  gpt-4o-realtime-preview-2025-06-03 openai/gpt-4o-realtime-preview
  gpt-4o-mini-realtime-preview openai/gpt-4o-mini-realtime-preview
  gpt-4o-mini-transcribe openai/gpt-4o-mini-transcribe
  gpt-4o-transcribe openai/gpt-4o-transcribe
  gpt-4o-mini-tts openai/gpt-4o-mini-tts
  gpt-4o-search-preview openai/gpt-4o-search-preview
  chatgpt-4o-latest openai/chatgpt-4o-latest
  gpt-4.1 openai/gpt-4.1
  gpt-4.1-2025-04-14 openai/gpt-4.1
  gpt-4.1-mini openai/gpt-4.1-mini
  gpt-4.1-nano openai/gpt-4.1-nano
  gpt-5 openai/gpt-5
  gpt-5-2025-08-07 openai/gpt-5
  gpt-5-mini openai/gpt-5-mini
  gpt-5-nano openai/gpt-5-nano
  gpt-5-pro openai/gpt-5-pro
  gpt-5-codex openai/gpt-5
  gpt-5-chat-latest openai/gpt-5
  gpt-5-image openai/gpt-5-image
  gpt-5.1 openai/gpt-5.1
  gpt-5.1-codex-mini openai/gpt-5.1-codex-mini
  gpt-5.2 openai/gpt-5.2
  gpt-5.2-pro openai/gpt-5.2-pro
  gpt-5.3-codex openai/gpt-5.3-codex
  gpt-5.4 openai/gpt-5.4
  gpt-5.4-mini openai/gpt-5.4-mini
  gpt-5.5 openai/gpt-5.5
  gpt-5.5-pro openai/gpt-5.5-pro
  gpt-5.6-sol openai/gpt-5.6-sol
  gpt-5.6-luna openai/gpt-5.6-luna
  gpt-6-sol openai/gpt-6-sol
  gpt-6-sol-2026-09-01 openai/gpt-6-sol
  gpt-6-astra openai/gpt-6-astra
  gpt-6-luna openai/gpt-6-luna
  gpt-6 -
  gpt-6.2 -
  gpt-6.2-sol openai/gpt-6.2-sol
  gpt-6-sol-audio -
  gpt-5-mini-audio -
  gpt-5.6 openai/gpt-5.6-sol
  o1 openai/o1
  o1-pro openai/o1-pro
  o3 openai/o3
  o3-2025-04-16 openai/o3
  o3-mini openai/o3-mini
  o3-pro openai/o3-pro
  o4-mini openai/o4-mini
  o4-mini-deep-research openai/o4-mini-deep-research
  openai/gpt-4o openai/gpt-4o
  openai/gpt-5-mini openai/gpt-5-mini
  gpt-4-turbo openai/gpt-4-turbo
  gpt-4-0613 openai/gpt-4
  gpt-3.5-turbo openai/gpt-3.5-turbo
  gpt-3.5-turbo-16k openai/gpt-3.5-turbo-16k
  gpt-4-32k-0613 openai/gpt-4-32k
  gpt-image-1 openai/gpt-image-1
  gpt-image-1.5 openai/gpt-image-1.5
  gpt-image-3 -
  gpt-realtime openai/gpt-realtime
  gpt-realtime-2025-08-28 openai/gpt-realtime
  whisper-1 -
  tts-1 -
  text-embedding-3-small openai/text-embedding-3-small
  text-embedding-3-large openai/text-embedding-3-large
  text-embedding-ada-002 openai/text-embedding-ada-002
  text-embedding-4 -
  dall-e-3 openai/dall-e-3
  ft:gpt-4o-2024-08-06:org::id -
  gpt-4o-mini-custom -
  gpt-oss-120b openai/gpt-oss-120b
  omni-moderation-latest -
3 https://x.openai.azure.com
  gpt-4o openai/gpt-4o
  gpt-35-turbo openai/gpt-3.5-turbo
  gpt-35-turbo-16k openai/gpt-3.5-turbo-16k
  gpt-5-mini-2025-08-07 openai/gpt-5-mini
  o1 azure/o1
  o3-mini azure/o3-mini
  text-embedding-3-large azure/text-embedding-3-large
  claude-opus-5 anthropic/claude-opus-5
  deepseek-v4-pro deepseek/deepseek-v4-pro
  grok-4.3 x-ai/grok-4.3
  phi-4 azure/phi-4
  gpt-4o-mini-audio-preview openai/gpt-4o-mini-audio-preview
  my-deployment -
33 -
  anthropic.claude-opus-5-5 aws/regional.anthropic.claude-opus-5-5
  us.anthropic.claude-opus-5-5 aws/regional.anthropic.claude-opus-5-5
  global.anthropic.claude-opus-5-5 aws/global.anthropic.claude-opus-5-5
  eu.anthropic.claude-sonnet-4-5-20250929-v1:0 aws/regional.anthropic.claude-sonnet-4-5-20250929-v1:0
  us.anthropic.claude-haiku-4-5-20251001-v1:0 aws/regional.anthropic.claude-haiku-4-5-20251001-v1:0
  global.anthropic.claude-haiku-4-5-20251001-v1:0 aws/global.anthropic.claude-haiku-4-5-20251001-v1:0
  anthropic.claude-3-haiku-20240307-v1:0 aws/regional.anthropic.claude-3-haiku-20240307-v1:0
  us.anthropic.claude-3-7-sonnet-20250219-v1:0 aws/regional.anthropic.claude-3-7-sonnet-20250219-v1:0
  anthropic.claude-3-haiku-20240307-v1:0:200k aws/regional.anthropic.claude-3-haiku-20240307-v1:0
  amazon.nova-pro-v1:0 aws/amazon.nova-pro-v1:0
  us.amazon.nova-pro-v1:0 aws/amazon.nova-pro-v1:0
  amazon.nova-2-lite-v1:0 -
  us.meta.llama3-3-70b-instruct-v1:0 aws/meta.llama3-3-70b-instruct-v1:0
  meta.llama4-scout-17b-instruct-v1:0 aws/meta.llama4-scout-17b-instruct-v1:0
  mistral.mistral-large-2402-v1:0 aws/mistral.mistral-large-2402-v1:0
  openai.gpt-oss-120b-1:0 aws/openai.gpt-oss-120b-1:0
  openai.gpt-oss-20b aws/openai.gpt-oss-20b-1:0
  cohere.command-r-v1:0 -
  amazon.titan-embed-text-v2:0 -
  global.amazon.nova-pro-v1:0 -
  anthropic.claude-v2 -
24 -
  gemini-2.5-pro google/gemini-2.5-pro
  gemini-2.5-flash google/gemini-2.5-flash
  gemini-2.5-flash-lite google/gemini-2.5-flash-lite
  gemini-2.5-flash-image google/gemini-2.5-flash-image
  models/gemini-2.5-flash google/gemini-2.5-flash
  gemini-2.5-flash-preview-tts google/gemini-2.5-flash-tts
  gemini-2.5-pro-preview-06-05 google/gemini-2.5-pro-preview-05-06
  gemini-2.0-flash-001 google/gemini-2.0-flash
  gemini-2.0-flash google/gemini-2.0-flash
  gemini-3-pro-preview google/gemini-3-pro-preview
  gemini-3.1-pro-preview google/gemini-3.1-pro-preview
  gemini-3.5-flash google/gemini-3.5-flash
  gemini-3.6-flash google/gemini-3.6-flash
  gemini-3.8-flash google/gemini-3.8-flash
  gemini-3.9-flash -
  gemini-4-pro -
  gemini-embedding-001 google/gemini-embedding-001
  gemini-live-2.5-flash google/gemini-live-2.5-flash
  gemma-4-31b-it -
  gemini-2.5-flash-native-audio -
  gemini-3-pro-image-preview google/gemini-3-pro-image-preview
  gemini-1.5-pro-002 google/gemini-1.5-pro
  gemini-flash-latest -
41 -
  claude-sonnet-4-5@20250929 google/claude-sonnet-4-5
  claude-opus-5-5@default google/claude-opus-5-5
  claude-opus-5@20260601 google/claude-opus-5
  gemini-2.5-flash google/gemini-2.5-flash
  publishers/google/models/gemini-2.5-pro google/gemini-2.5-pro
  gemini-2.0-flash@001 google/gemini-2.0-flash
  claude-haiku-4-5@20251001 anthropic/claude-haiku-4-5
20 -
  anthropic/claude-opus-5.5 openrouter/anthropic/claude-opus-5.5
  anthropic/claude-haiku-4.5 openrouter/anthropic/claude-haiku-4.5
  openai/gpt-5 openrouter/openai/gpt-5
  openai/gpt-5-mini openrouter/openai/gpt-5-mini
  openai/gpt-4o-mini openrouter/openai/gpt-4o-mini
  openai/gpt-4o-audio-preview -
  google/gemini-2.5-pro openrouter/google/gemini-2.5-pro
  deepseek/deepseek-chat openrouter/deepseek/deepseek-chat
  deepseek/deepseek-v4-flash openrouter/deepseek/deepseek-v4-flash
  deepseek/deepseek-r1:free openrouter/deepseek/deepseek-r1:free
  deepseek/deepseek-r1:nitro -
  meta-llama/llama-3.3-70b-instruct openrouter/meta-llama/llama-3.3-70b-instruct
  x-ai/grok-4 -
  qwen/qwen3-max openrouter/qwen/qwen3-max
  moonshotai/kimi-k3 openrouter/moonshotai/kimi-k3
  z-ai/glm-4.6 openrouter/z-ai/glm-4.6
  openrouter/auto -
  mistralai/mistral-small openrouter/mistralai/mistral-small
43 -
  deepseek-chat deepseek/deepseek-chat
  deepseek-reasoner deepseek/deepseek-reasoner
  deepseek-v4-flash deepseek/deepseek-v4-flash
  deepseek-v4-pro deepseek/deepseek-v4-pro
  deepseek-v4 -
  deepseek-coder -
42 -
  mistral-large-latest mistral/mistral-large
  mistral-large-2411 mistral/mistral-large
  mistral-large-2402 -
  mistral-small-latest mistral/mistral-small-latest
  mistral-small-2402 -
  mistral-medium-latest mistral/mistral-medium-latest
  codestral-latest mistral/codestral
  ministral-8b-latest mistral/ministral-8b-latest
  mistral-embed mistral/mistral-embed
  pixtral-large-latest mistral/pixtral-large
  devstral-small-2507 mistral/devstral-small
  open-mistral-nemo mistral/mistral-nemo
  mistral-large-2512 mistral/mistral-large-2512
  mistral-small-2603 mistral/mistral-small-2603
48 -
  grok-4 x-ai/grok-4-0709
  grok-4-0709 x-ai/grok-4-0709
  grok-4-latest x-ai/grok-4-0709
  grok-4-fast-reasoning x-ai/grok-4-fast-reasoning
  grok-4.3 x-ai/grok-4.3
  grok-4.5-latest x-ai/grok-4.5
  grok-4.6 x-ai/grok-4.6
  grok-3-mini x-ai/grok-3-mini
  grok-code-fast-1 x-ai/grok-code-fast-1
  grok-5 -
  grok-2-image -
25 -
  kimi-k3 moonshotai/kimi-k3
  kimi-k2.6 moonshotai/kimi-k2.6
  kimi-k2-0905-preview moonshotai/kimi-k2-0905-preview
  kimi-k2-thinking moonshotai/kimi-k2-thinking
  moonshot-v1-8k moonshotai/moonshot-v1-8k
  kimi-latest -
26 -
  glm-5.3 zhipuai/GLM-5.3
  GLM-5.2 zhipuai/GLM-5.2
  glm-4.7 zhipuai/GLM-4.7
  glm-4.5-air zhipuai/GLM-4.5-Air
  glm-4.6 -
  glm-4.6v -
1001 -
  llama-3.3-70b-versatile groq/llama-3.3-70b-versatile
  openai/gpt-oss-120b groq/openai/gpt-oss-120b
  qwen/qwen3-32b groq/qwen/qwen3-32b
  groq/llama-3.3-70b-versatile groq/llama-3.3-70b-versatile
  llama-3.3-70b -
  whisper-large-v3 -
  moonshotai/kimi-k2-instruct-0905 groq/moonshotai/kimi-k2-instruct
1002 -
  meta-llama/Llama-3.3-70B-Instruct-Turbo together/meta-llama/Llama-3.3-70B-Instruct-Turbo
  mistralai/Mixtral-8x7B-Instruct-v0.1 together/mistralai/Mixtral-8x7B-Instruct-v0.1
  meta-llama/Llama-3.3-70B-Instruct -
1003 -
  accounts/fireworks/models/deepseek-v4-flash fireworks/deepseek-v4-flash
  accounts/fireworks/models/llama-v9 -
1004 -
  gpt-oss-120b cerebras/gpt-oss-120b
  llama3.1-8b cerebras/llama3.1-8b
  llama-4-scout -
27 -
  sonar perplexity/sonar
  sonar-pro perplexity/sonar-pro
  sonar-deep-research perplexity/sonar-deep-research
  sonar-ultra -
34 -
  command-a-03-2025 cohere/command-a
  command-r-plus-08-2024 cohere/command-r-plus
  command-r cohere/command-r
  embed-v4.0 cohere/embed-v4.0
  rerank-v3.5 -
35 -
  minimax-m3 minimax/minimax-m3
  MiniMax-M2.7 minimax/MiniMax-M2.7
  abab6.5-chat -
1011 -
  voyage-3.5 voyageai/voyage-3.5
  voyage-4-large voyageai/voyage-4-large
  voyage-5 -
17 -
  qwen3-max alibaba/qwen3-max
  qwen-plus alibaba/qwen-plus
  qwen-plus-latest alibaba/qwen-plus
  qwen-plus-2025-09-11 alibaba/qwen-plus
  qwen3.9-max -
8 https://api.unknown.example
  gpt-4o ~openai/gpt-4o
  claude-opus-5-5 ~anthropic/claude-opus-5-5
  zai/GLM-5.2 ~zhipuai/GLM-5.2
  some-model -
  llama-3.3-70b -
  gpt-4o-mini-audio-next -
4 -
  llama3 -
  gpt-oss:120b -
  gpt-4o -
`;

type Row = {
  readonly type: number;
  readonly baseUrl: string;
  readonly model: string;
  readonly means: string;
};

function rows(): Row[] {
  let [type, baseUrl] = [0, ""];
  return table
    .split("\n")
    .filter((line) => line.trim() !== "")
    .flatMap((line) => {
      const [first = "", second = ""] = line.trim().split(" ");
      if (line.startsWith("  ")) return [{ type, baseUrl, model: first, means: second }];
      [type, baseUrl] = [Number(first), second === "-" ? "" : second];
      return [];
    });
}

test("a model gets the price of the entry that its whole name means, or none", () => {
  const found = rows().map(({ type, baseUrl, model }) => {
    const match = catalogue.match({ type, baseUrl }, model, "2026-11-29");
    const means = match && `${match.exact ? "" : "~"}${match.provider}/${match.entry}`;
    return [type, model, means ?? "-"];
  });

  expect(found).toEqual(rows().map(({ type, model, means }) => [type, model, means]));
  expect(found.length).toBeGreaterThan(200);
});
