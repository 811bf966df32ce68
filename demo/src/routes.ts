/** The paths that the demo upstream serves, and what they say about a call. */

/** `responses`, `messages` and `gemini`: the APIs of OpenAI, Anthropic and Google of these names. */
export type Route = "chat" | "completions" | "embeddings" | "gemini" | "messages" | "responses";

export type Target = {
  readonly route: Route;
  /** What the path says in place of the body; null: the body says it. */
  readonly inPath: { readonly model: string; readonly stream: boolean } | null;
};

const routes: Readonly<Record<string, Route>> = {
  "chat/completions": "chat",
  completions: "completions",
  embeddings: "embeddings",
  messages: "messages",
  responses: "responses",
};

/** Returns what a POST to the path calls; undefined: nothing. Any prefix may be before `/v1`. */
export function targetOf(path: string): Target | undefined {
  const [, model, method] =
    /\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(path) ?? [];
  if (model !== undefined) {
    return { route: "gemini", inPath: { model, stream: method === "streamGenerateContent" } };
  }
  const [, resource = ""] = /^.*\/v1\/(.+)$/.exec(path) ?? [];
  const route = Object.hasOwn(routes, resource) ? routes[resource] : undefined;
  return route === undefined ? undefined : { route, inPath: null };
}
