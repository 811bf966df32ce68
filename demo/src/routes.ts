/** The paths that the demo upstream serves, and what they say about a call. */

/**
 * The APIs, by the names of their paths. `responses`, `messages` and `gemini` are those of OpenAI,
 * Anthropic and Google; `converse` and `invoke-…` are Amazon Bedrock's.
 */
export type Route =
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

export type Target = {
  /** The route; a body of Claude makes `invoke-nova` the route `invoke-claude`. */
  readonly route: Route;
  /** What the path says in place of the body; null: the body says it. */
  readonly inPath: { readonly model: string; readonly stream: boolean } | null;
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
