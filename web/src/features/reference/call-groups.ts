/** The order in which calls are shown, and an example of each. Pure functions. */

import type { Callable } from "@tollgate/contract/endpoints/caller-reference.ts";
import type { TextKey } from "#i18n/t.ts";

export const groups = [
  "chat",
  "responses",
  "messages",
  "gemini",
  "vectors",
  "media",
  "live",
  "tasks",
  "other",
] as const;
type Group = (typeof groups)[number];

export const groupTexts: Readonly<Record<Group, TextKey>> = {
  chat: "reference.groupChat",
  responses: "reference.groupResponses",
  messages: "reference.groupMessages",
  gemini: "reference.groupGemini",
  vectors: "reference.groupVectors",
  media: "reference.groupMedia",
  live: "reference.groupLive",
  tasks: "reference.groupTasks",
  other: "reference.groupOther",
};

const vectors = new Set(["embeddings", "moderations", "rerank"]);
const media = new Set([
  "image-edits",
  "image-variations",
  "images",
  "speech",
  "transcriptions",
  "translations",
]);

/** What a call is for tells more than its format, except where people ask for a format. */
export function groupOf({ format, to }: Callable): Group {
  if (vectors.has(to)) return "vectors";
  if (media.has(to)) return "media";
  if (to === "task") return "tasks";
  if (to === "realtime") return "live";
  if (format.startsWith("openai-responses") || format === "openai-compact") return "responses";
  if (format === "anthropic-messages") return "messages";
  if (format === "gemini-generate") return "gemini";
  return to === "chat" || to === "completions" ? "chat" : "other";
}

/** A path with a word in each place where a call names something. */
export function shownPath(path: string): string {
  return path.replace("**", "{model}").replaceAll("*", "{id}");
}

/** Calls that are sent as forms with files, which the page does not try. */
const asForm = new Set(["image-edits", "image-variations", "transcriptions", "translations"]);

export function howSent({ to }: Callable): "form" | "plain" | "socket" {
  if (to === "realtime" || to === "responses-socket") return "socket";
  return asForm.has(to) ? "form" : "plain";
}

const question = "Say hello in one word.";

/** Returns a body that works with a model that answers such calls; null: the call has none. */
export function exampleOf({ format, method, path, to }: Callable, model: string): object | null {
  if (method !== "POST") return null;
  const messages = [{ role: "user", content: question }];
  const contents = [{ role: "user", parts: [{ text: question }] }];
  if (format === "gemini-generate") return { contents };
  if (format === "gemini-vectors") {
    return { requests: [{ model: `models/${model}`, content: { parts: [{ text: question }] } }] };
  }
  if (format === "gemini-vector") return { content: { parts: [{ text: question }] } };
  if (format === "anthropic-messages") {
    return { model, ...(to === "count" ? {} : { max_tokens: 100 }), messages };
  }
  if (format.startsWith("openai-responses") || format === "openai-compact") {
    return { model, input: question };
  }
  switch (to) {
    case "chat":
      return { model, max_tokens: 100, messages };
    case "completions":
      return { model, max_tokens: 100, prompt: question };
    case "rerank":
      return { model, query: "fruit", documents: ["an apple", "a car"] };
    case "speech":
      return { model, voice: "alloy", input: question };
    case "images":
      return { model, prompt: "a lighthouse" };
    case "embeddings":
      return format === "cohere-vectors"
        ? { model, texts: [question], input_type: "search_document" }
        : { model, input: question };
    case "moderations":
      return { model, input: question };
    default:
      return path.includes("video") ? { model, prompt: "waves at night" } : { model };
  }
}

/** Returns the path with the model in place of the segments that name one. */
export function pathWith(path: string, model: string): string {
  return path.replace("**", model).replaceAll("*", model);
}
