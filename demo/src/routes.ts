/** The paths that the demo upstream serves, and what they say about a call. */

/**
 * The APIs, by the names of their paths. `responses`, `messages` and `gemini` are those of OpenAI,
 * Anthropic and Google; `converse` and `invoke-…` are Amazon Bedrock's.
 */
export type Route =
  | ProviderRoute
  | "chat"
  | "cohere-v1"
  | "cohere-v2"
  | "completions"
  | "converse"
  | "dashscope"
  | "embeddings"
  | "gemini"
  | "invoke-claude"
  | "invoke-nova"
  | "messages"
  | "ollama"
  | "responses";

/** The routes of providers that sign requests or talk in a format of their own; see `providers/`. */
export type ProviderRoute =
  | "aiproxy-library"
  | "baidu-wenxin"
  | "coze"
  | "dify"
  | "dify-workflow"
  | "palm"
  | "tencent-hunyuan"
  | "xunfei-spark"
  | "zhipu-v3";

export type Target = {
  /** The route; a body of Claude makes `invoke-nova` the route `invoke-claude`. */
  readonly route: Route;
  /** What the path says in place of the body; null: the body says it. */
  readonly inPath: {
    readonly model: string;
    /** Null: the body says it. */
    readonly stream: boolean | null;
  } | null;
};

/** Routes by the ends of their paths. */
const routes: Readonly<Record<string, Route>> = {
  "api/chat": "ollama",
  "v1/chat": "cohere-v1",
  "v1/chat/completions": "chat",
  "v1/completions": "completions",
  "v1/embeddings": "embeddings",
  "v1/messages": "messages",
  "v1/responses": "responses",
  "v1/services/aigc/multimodal-generation/generation": "dashscope",
  "v1/services/aigc/text-generation/generation": "dashscope",
  "v2/chat": "cohere-v2",
};

const geminiPath = /\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;
const bedrockPath =
  /\/model\/([^/]+)\/(converse|converse-stream|invoke|invoke-with-response-stream)$/;
/** Providers by their paths, some of which name the model. */
const providerPaths: readonly {
  readonly route: ProviderRoute;
  readonly path: RegExp;
  readonly stream?: boolean;
}[] = [
  { route: "aiproxy-library", path: /\/api\/library\/ask$/ },
  {
    route: "baidu-wenxin",
    path: /\/rpc\/2\.0\/ai_custom\/v1\/wenxinworkshop\/chat\/([^/]+)$/,
  },
  { route: "coze", path: /\/v3\/chat$/ },
  { route: "dify", path: /\/v1\/(?:chat|completion)-messages$/ },
  { route: "dify-workflow", path: /\/v1\/workflows\/run$/ },
  { route: "palm", path: /\/v1beta2\/models\/([^/:]+):generateMessage$/, stream: false },
  { route: "tencent-hunyuan", path: /^\/$/ },
  { route: "zhipu-v3", path: /\/api\/paas\/v3\/model-api\/([^/]+)\/invoke$/, stream: false },
  { route: "zhipu-v3", path: /\/api\/paas\/v3\/model-api\/([^/]+)\/sse-invoke$/, stream: true },
];

const sparkPath = /^\/(?:chat\/[\w-]+|(?:demo|v\d\.\d)\/chat|v1\/x1)$/;

/** Whether a WebSocket of the path is one of Spark's. */
export function isSparkPath(path: string): boolean {
  return sparkPath.test(path);
}

/** The last part of a path that begins at a version or at Ollama's `api`. */
const pathEnd = /^.*\/((?:api\/chat|v\d\/.+))$/;

/** Returns what a POST to the path calls; undefined: nothing. Any prefix may be before `/v1`. */
export function targetOf(path: string): Target | undefined {
  const [, model, method] = geminiPath.exec(path) ?? [];
  if (model !== undefined) {
    return { route: "gemini", inPath: { model, stream: method === "streamGenerateContent" } };
  }
  const [, named, operation = ""] = bedrockPath.exec(path) ?? [];
  if (named !== undefined) {
    const route = operation.startsWith("converse") ? "converse" : "invoke-nova";
    return { route, inPath: { model: decoded(named), stream: operation.endsWith("stream") } };
  }
  for (const { route, path: pattern, stream = null } of providerPaths) {
    const found = pattern.exec(path);
    if (found === null) continue;
    const [, named] = found;
    return { route, inPath: named === undefined ? null : { model: decoded(named), stream } };
  }
  const [, end = ""] = pathEnd.exec(path) ?? [];
  const route = Object.hasOwn(routes, end) ? routes[end] : undefined;
  return route === undefined ? undefined : { route, inPath: null };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
