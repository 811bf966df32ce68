/** The paths that the demo upstream serves, and what they say about a call. */

import type { Api } from "./answers/api.ts";
import { chat } from "./answers/chat-parts.ts";
import { completions } from "./answers/completion-parts.ts";
import { embeddings } from "./answers/embedding-parts.ts";
import { gemini } from "./answers/gemini-parts.ts";
import { messages } from "./answers/messages-parts.ts";
import { responses } from "./answers/responses-parts.ts";

export type Target = {
  readonly api: Api;
  /** What the path says in place of the body; null: the body says it. */
  readonly inPath: {
    readonly model: string;
    /** Null: the body says it. */
    readonly stream: boolean | null;
  } | null;
};

/** APIs by the ends of their paths. */
const apis: Readonly<Record<string, Api>> = {
  "chat/completions": chat,
  completions,
  embeddings,
  messages,
  responses,
};

const geminiPath = /\/v1(?:beta)?\/models\/([^/:]+):(generateContent|streamGenerateContent)$/;

/** The part of a path behind its version. */
const pathEnd = /^.*\/v1\/(.+)$/;

/** Returns what a POST to the path calls; undefined: nothing. Any prefix may be before `/v1`. */
export function targetOf(path: string): Target | undefined {
  const [, model, method] = geminiPath.exec(path) ?? [];
  if (model !== undefined) {
    return { api: gemini, inPath: { model, stream: method === "streamGenerateContent" } };
  }
  const [, end = ""] = pathEnd.exec(path) ?? [];
  const api = Object.hasOwn(apis, end) ? apis[end] : undefined;
  return api === undefined ? undefined : { api, inPath: null };
}
