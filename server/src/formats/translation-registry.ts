/**
 * Every wire format in which upstreams are asked, one line each, sorted. Requests and answers are
 * translated between them.
 */

import { aiproxyLibrary } from "./aiproxy-library/translation.ts";
import { anthropicMessages } from "./anthropic-messages/translation.ts";
import { baiduWenxin } from "./baidu-wenxin/translation.ts";
import { bedrockConverse } from "./bedrock-converse/translation.ts";
import { bedrockInvoke } from "./bedrock-invoke/translation.ts";
import { cohereV1 } from "./cohere-v1/translation.ts";
import { cohereV2 } from "./cohere-v2/translation.ts";
import { coze } from "./coze/translation.ts";
import { dashscope } from "./dashscope/translation.ts";
import { dify } from "./dify/translation.ts";
import { geminiGenerate } from "./gemini-generate/translation.ts";
import { ollama } from "./ollama/translation.ts";
import { openaiChat } from "./openai-chat/translation.ts";
import { openaiResponses } from "./openai-responses/translation.ts";
import { palm } from "./palm/translation.ts";
import type { ClientFormatId } from "./registry.ts";
import { tencentHunyuan } from "./tencent-hunyuan/translation.ts";
import type { Translation } from "./translation.ts";
import { xunfeiSpark } from "./xunfei-spark/translation.ts";
import { zhipuV3 } from "./zhipu-v3/translation.ts";

export const translations = {
  "aiproxy-library": aiproxyLibrary,
  "anthropic-messages": anthropicMessages,
  "baidu-wenxin": baiduWenxin,
  "bedrock-converse": bedrockConverse,
  "bedrock-invoke": bedrockInvoke({
    claude: anthropicMessages.upstream,
    converse: bedrockConverse.upstream,
  }),
  "cohere-v1": cohereV1,
  "cohere-v2": cohereV2,
  coze,
  dashscope,
  dify,
  "gemini-generate": geminiGenerate,
  ollama,
  "openai-chat": openaiChat,
  "openai-responses": openaiResponses,
  palm,
  "tencent-hunyuan": tencentHunyuan(openaiChat.upstream),
  "xunfei-spark": xunfeiSpark,
  "zhipu-v3": zhipuV3,
} as const satisfies Record<string, Translation>;

export type TranslatedFormatId = keyof typeof translations;

/** An id of a format in which an upstream can be asked. */
export type UpstreamFormatId = ClientFormatId | TranslatedFormatId;
