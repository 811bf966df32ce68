/** The paths of providers that talk in formats of their own, and what they say about a call. */

import type { Api } from "@tollgate/demo/answers/api.ts";
import type { Target } from "@tollgate/demo/routes.ts";
import { cohereV1 } from "./answers/cohere-v1-parts.ts";
import { cohereV2 } from "./answers/cohere-v2-parts.ts";
import { converse } from "./answers/converse-parts.ts";
import { dashscope } from "./answers/dashscope-parts.ts";
import { invoke } from "./answers/invoke-parts.ts";
import { ollama } from "./answers/ollama-parts.ts";
import { aiproxyLibrary } from "./providers/aiproxy-library.ts";
import { baiduWenxin } from "./providers/baidu-wenxin.ts";
import { coze } from "./providers/coze.ts";
import { dify, difyWorkflow } from "./providers/dify.ts";
import { palm } from "./providers/palm.ts";
import { tencentHunyuan } from "./providers/tencent-hunyuan.ts";
import { xunfeiSpark } from "./providers/xunfei-spark.ts";
import { zhipuV3 } from "./providers/zhipu-v3.ts";

/** APIs by the ends of their paths. */
const apis: Readonly<Record<string, Api>> = {
  "api/chat": ollama,
  "v1/chat": cohereV1,
  "v1/services/aigc/multimodal-generation/generation": dashscope,
  "v1/services/aigc/text-generation/generation": dashscope,
  "v2/chat": cohereV2,
};

/** The last part of a path that begins at a version or at Ollama's `api`. */
const pathEnd = /^.*\/((?:api\/chat|v\d\/.+))$/;

const bedrockPath =
  /\/model\/([^/]+)\/(converse|converse-stream|invoke|invoke-with-response-stream)$/;

/** Providers by their paths, some of which name the model. */
const providerPaths: readonly {
  readonly api: Api;
  readonly path: RegExp;
  readonly stream?: boolean;
}[] = [
  { api: aiproxyLibrary, path: /\/api\/library\/ask$/ },
  { api: baiduWenxin, path: /\/rpc\/2\.0\/ai_custom\/v1\/wenxinworkshop\/chat\/([^/]+)$/ },
  { api: coze, path: /\/v3\/chat$/ },
  { api: dify, path: /\/v1\/(?:chat|completion)-messages$/ },
  { api: difyWorkflow, path: /\/v1\/workflows\/run$/ },
  { api: palm, path: /\/v1beta2\/models\/([^/:]+):generateMessage$/, stream: false },
  { api: tencentHunyuan, path: /^\/$/ },
  { api: zhipuV3, path: /\/api\/paas\/v3\/model-api\/([^/]+)\/invoke$/, stream: false },
  { api: zhipuV3, path: /\/api\/paas\/v3\/model-api\/([^/]+)\/sse-invoke$/, stream: true },
];

const sparkPath = /^\/(?:chat\/[\w-]+|(?:demo|v\d\.\d)\/chat|v1\/x1)$/;

/** Whether a WebSocket of the path is one of Spark's. */
export function isSparkPath(path: string): boolean {
  return sparkPath.test(path);
}

/** What a call over a WebSocket of Spark's asks. */
export const sparkTarget: Target = { api: xunfeiSpark, inPath: null };

/** Returns what a POST to the path calls; undefined: nothing. */
export function targetOf(path: string): Target | undefined {
  const [, inPath, operation = ""] = bedrockPath.exec(path) ?? [];
  if (inPath !== undefined) {
    const api = operation.startsWith("converse") ? converse : invoke;
    return { api, inPath: { model: decoded(inPath), stream: operation.endsWith("stream") } };
  }
  for (const { api, path: pattern, stream = null } of providerPaths) {
    const found = pattern.exec(path);
    if (found === null) continue;
    const [, named] = found;
    return { api, inPath: named === undefined ? null : { model: decoded(named), stream } };
  }
  const [, end = ""] = pathEnd.exec(path) ?? [];
  const api = Object.hasOwn(apis, end) ? apis[end] : undefined;
  return api === undefined ? undefined : { api, inPath: null };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
