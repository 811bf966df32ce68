/**
 * The brands' marks as SVG texts from `@lobehub/icons-static-svg` (see NOTICE). This file is loaded
 * when the first mark is shown. A mark drawn in `currentColor` takes the colour of text.
 */

import yi from "@lobehub/icons-static-svg/icons/yi-color.svg?raw";
import ai360 from "@lobehub/icons-static-svg/icons/ai360-color.svg?raw";
import alibaba from "@lobehub/icons-static-svg/icons/qwen-color.svg?raw";
import anthropic from "@lobehub/icons-static-svg/icons/anthropic.svg?raw";
import aws from "@lobehub/icons-static-svg/icons/aws-color.svg?raw";
import azure from "@lobehub/icons-static-svg/icons/azure-color.svg?raw";
import baai from "@lobehub/icons-static-svg/icons/baai.svg?raw";
import baichuan from "@lobehub/icons-static-svg/icons/baichuan-color.svg?raw";
import baidu from "@lobehub/icons-static-svg/icons/baidu-color.svg?raw";
import blackForestLabs from "@lobehub/icons-static-svg/icons/bfl.svg?raw";
import bytedance from "@lobehub/icons-static-svg/icons/doubao-color.svg?raw";
import cloudflare from "@lobehub/icons-static-svg/icons/cloudflare-color.svg?raw";
import cohere from "@lobehub/icons-static-svg/icons/cohere-color.svg?raw";
import coze from "@lobehub/icons-static-svg/icons/coze.svg?raw";
import deepseek from "@lobehub/icons-static-svg/icons/deepseek-color.svg?raw";
import dify from "@lobehub/icons-static-svg/icons/dify-color.svg?raw";
import elevenlabs from "@lobehub/icons-static-svg/icons/elevenlabs.svg?raw";
import fastgpt from "@lobehub/icons-static-svg/icons/fastgpt-color.svg?raw";
import google from "@lobehub/icons-static-svg/icons/gemini-color.svg?raw";
import hunyuan from "@lobehub/icons-static-svg/icons/hunyuan-color.svg?raw";
import iflytek from "@lobehub/icons-static-svg/icons/spark-color.svg?raw";
import jina from "@lobehub/icons-static-svg/icons/jina.svg?raw";
import kling from "@lobehub/icons-static-svg/icons/kling-color.svg?raw";
import meta from "@lobehub/icons-static-svg/icons/meta.svg?raw";
import microsoft from "@lobehub/icons-static-svg/icons/microsoft-color.svg?raw";
import midjourney from "@lobehub/icons-static-svg/icons/midjourney.svg?raw";
import minimax from "@lobehub/icons-static-svg/icons/minimax-color.svg?raw";
import mistral from "@lobehub/icons-static-svg/icons/mistral-color.svg?raw";
import moonshot from "@lobehub/icons-static-svg/icons/moonshot.svg?raw";
import nvidia from "@lobehub/icons-static-svg/icons/nvidia-color.svg?raw";
import ollama from "@lobehub/icons-static-svg/icons/ollama.svg?raw";
import openai from "@lobehub/icons-static-svg/icons/openai.svg?raw";
import openrouter from "@lobehub/icons-static-svg/icons/openrouter.svg?raw";
import perplexity from "@lobehub/icons-static-svg/icons/perplexity-color.svg?raw";
import replicate from "@lobehub/icons-static-svg/icons/replicate.svg?raw";
import siliconflow from "@lobehub/icons-static-svg/icons/siliconcloud-color.svg?raw";
import stability from "@lobehub/icons-static-svg/icons/stability-color.svg?raw";
import stepfun from "@lobehub/icons-static-svg/icons/stepfun-color.svg?raw";
import submodel from "@lobehub/icons-static-svg/icons/submodel.svg?raw";
import suno from "@lobehub/icons-static-svg/icons/suno.svg?raw";
import vertexAi from "@lobehub/icons-static-svg/icons/vertexai-color.svg?raw";
import vidu from "@lobehub/icons-static-svg/icons/vidu-color.svg?raw";
import voyage from "@lobehub/icons-static-svg/icons/voyage-color.svg?raw";
import xai from "@lobehub/icons-static-svg/icons/xai.svg?raw";
import xinference from "@lobehub/icons-static-svg/icons/xinference-color.svg?raw";
import zhipu from "@lobehub/icons-static-svg/icons/zhipu-color.svg?raw";

/** Brand id → SVG. A brand that is not listed is shown as a letter on a coloured ground. */
export const markTexts: Readonly<Record<string, string>> = {
  "01-ai": yi,
  "360": ai360,
  alibaba,
  anthropic,
  aws,
  azure,
  baai,
  baichuan,
  baidu,
  "black-forest-labs": blackForestLabs,
  bytedance,
  cloudflare,
  cohere,
  coze,
  deepseek,
  dify,
  elevenlabs,
  fastgpt,
  google,
  hunyuan,
  iflytek,
  jina,
  kling,
  meta,
  microsoft,
  midjourney,
  minimax,
  mistral,
  moonshot,
  nvidia,
  ollama,
  openai,
  openrouter,
  perplexity,
  replicate,
  siliconflow,
  stability,
  stepfun,
  submodel,
  suno,
  "vertex-ai": vertexAi,
  vidu,
  voyage,
  xai,
  xinference,
  zhipu,
};
